{ @NAME@: a square that the pad moves, and one that it must not touch.

    retrosim run .          play it: the cursor keys are the pad
    retrosim cost . --entry overlap --arg 0 --arg 0 --arg 31 --arg 0
    pytest                  what overlap returns, and what it may cost

  There is no run-time library: no strings, no files, no writeln. }
unit main;

interface

function Overlap(ax, ay, bx, by: longint): longint; cdecl;
procedure Run; cdecl;

implementation

uses retrosim;

const
  Size = 32;
  OtherX = 304;
  OtherY = 224;
  Speed = 4;
  Background = 0;
  Blue = 1;
  Red = 2;
  Yellow = 3;

{ Do two squares of Size pixels overlap? Touching sides do not. }
function Overlap(ax, ay, bx, by: longint): longint; cdecl; [public, alias: 'overlap'];
begin
  if (ax < bx + Size) and (bx < ax + Size) and (ay < by + Size) and (by < ay + Size) then
    Overlap := 1
  else
    Overlap := 0;
end;

procedure Fill(x, y: longint; colour: byte);
var
  row, column: longint;
begin
  for row := y to y + Size - 1 do
    for column := x to x + Size - 1 do
      Screen[row, column] := colour;
end;

function Inside(value, last: longint): longint;
begin
  if value < 0 then
    Inside := 0
  else if value > last then
    Inside := last
  else
    Inside := value;
end;

procedure Run; cdecl; [public, alias: 'main'];
var
  x, y, row, column: longint;
begin
  Palette[Background] := $102030;
  Palette[Blue] := $4080FF;
  Palette[Red] := $FF4040;
  Palette[Yellow] := $FFE040;
  for row := 0 to ScreenHeight - 1 do
    for column := 0 to ScreenWidth - 1 do
      Screen[row, column] := Background;
  x := 100;
  y := 200;
  repeat
    Fill(x, y, Background);
    if Pad and PadLeft <> 0 then
      x := x - Speed;
    if Pad and PadRight <> 0 then
      x := x + Speed;
    if Pad and PadUp <> 0 then
      y := y - Speed;
    if Pad and PadDown <> 0 then
      y := y + Speed;
    x := Inside(x, ScreenWidth - Size);
    y := Inside(y, ScreenHeight - Size);
    Fill(OtherX, OtherY, Red);
    if Overlap(x, y, OtherX, OtherY) <> 0 then
      Fill(x, y, Yellow)
    else
      Fill(x, y, Blue);
    YieldFrame;
  until false;
end;

end.
