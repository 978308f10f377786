{ Pixel-exact collision after COLLIDE.PAS 1.0 (Mark Mackey, 1995): one bit a pixel, a row shifted and ANDed with a row.

  Turbo Pascal's conventions: far calls, arguments pushed from left to right, the routine takes them off, pointers are
  segment and offset, a result is in AL or DX:AX. All is code for a 286 in 16-bit registers but for the two routines
  behind ASMCPU 80386. Mackey's text has the topmost sprite's row shifted; meant is the leftmost's, see FindCommon. }
unit Masks;

interface

type
  PBitmap = ^TBitmap;
  TBitmap = packed record               { XLib's linear bitmap }
    width, height: byte;                { pixels }
    colours: array[0..0] of byte;       { row by row, 0 is transparent }
  end;

  PRow = ^longint;
  PMask = ^TMask;
  TMask = packed record
    width, height: word;                { pixels }
    rows: array[0..0] of longint;       { bit 31 is the leftmost pixel; of a wide sprite part after part, 32 pixels each }
  end;

  TCollide = function(a: PMask; ax, ay: integer; b: PMask; bx, by: integer): boolean;
  PPair = ^TPair;
  TPair = packed record                 { two sprites and their upper-left corners }
    a: PMask; ax, ay: integer;
    b: PMask; bx, by: integer;
    collided: boolean;
    unused: array[0..2] of byte;
  end;

  TCommon = record                      { what two sprites' boxes have in common }
    left, right: PRow;                  { the first common row of the leftmost sprite and of the other }
    leftParts, rightParts: word;        { how many parts of 32 pixels they have }
    leftBytes, rightBytes: word;        { from a part to the next }
    rows, shift: word;                  { rows in common; pixels that the leftmost sprite begins further left }
  end;

{ Make a mask of so many parts. Return False and write nothing if the bitmap is empty or wider than the parts. }
function MakeMask(bitmap: PBitmap; mask: PMask; parts: word): boolean;

{ Do two sprites have a pixel in common? Corners -16384..16383; boxes that do not overlap do not collide. }
function CollideDword(a: PMask; ax, ay: integer; b: PMask; bx, by: integer): boolean;  { one part each; 386 }
function CollideQword(a: PMask; ax, ay: integer; b: PMask; bx, by: integer): boolean;  { two parts each; 386 }
function CollideWord(a: PMask; ax, ay: integer; b: PMask; bx, by: integer): boolean;   { one part each; 286 }
function CollideParts(a: PMask; ax, ay: integer; b: PMask; bx, by: integer): boolean;  { as many as the width needs; 386 }

{ Test every pair of a list by one of these routines. }
procedure CollideList(pair: PPair; count: word; collide: TCollide);

{ The inner loops: rows 1..255, shift less than the left sprite's width. }
function TouchDword(left, right: PRow; rows, shift: word): boolean;
function TouchQword(left, right: PRow; leftBytes, rightBytes, rows, shift: word): boolean;
function TouchWord(left, right: PRow; rows, shift: word): boolean;

implementation

{ Return the mask of up to 32 pixels of a row. }
function PackRow(colours: pointer; count: word): longint; assembler; [public, alias: 'PackRow'];
asm
    push ds
    lds  si, colours
    mov  cx, count
    mov  bx, 32
    sub  bx, cx
    sub  ax, ax
    cwd
@pixel:
    cmp  byte ptr [si], 1               { carry if transparent }
    cmc
    rcl  ax, 1
    rcl  dx, 1
    inc  si
    loop @pixel
    mov  cx, bx
    jcxz @done
@unused:
    shl  ax, 1
    rcl  dx, 1
    loop @unused
@done:
    pop  ds
end;

function MakeMask(bitmap: PBitmap; mask: PMask; parts: word): boolean; [public, alias: 'MakeMask'];
var
  part, row, count, width, height: word;
begin
  MakeMask := false;
  width := bitmap^.width;
  height := bitmap^.height;
  if (width = 0) or (height = 0) or (width > parts * 32) then
    exit;
  mask^.width := width;
  mask^.height := height;
  for part := 0 to parts - 1 do
  begin
    count := 0;
    if part * 32 < width then
      count := width - part * 32;
    if count > 32 then
      count := 32;
    for row := 0 to height - 1 do
      if count = 0 then
        mask^.rows[part * height + row] := 0
      else
        mask^.rows[part * height + row] := PackRow(@bitmap^.colours[row * width + part * 32], count);
  end;
  MakeMask := true;
end;

{ Find the common rows, from the lower one of the two upper sides. Return False if the boxes do not overlap. }
function FindCommon(a: PMask; ax, ay: integer; b: PMask; bx, by: integer; var common: TCommon): boolean;
  [public, alias: 'FindCommon'];
var
  rows, other, skip: integer;
begin
  if bx < ax then
  begin
    FindCommon := FindCommon(b, bx, by, a, ax, ay, common);
    exit;
  end;
  skip := by - ay;
  rows := a^.height;
  other := b^.height;
  if skip >= 0 then
  begin
    rows := rows - skip;
    common.left := @a^.rows[skip];
    common.right := @b^.rows[0];
  end
  else
  begin
    other := other + skip;
    common.left := @a^.rows[0];
    common.right := @b^.rows[-skip];
  end;
  if other < rows then
    rows := other;
  common.rows := rows;
  common.shift := bx - ax;
  common.leftParts := (a^.width + 31) shr 5;
  common.rightParts := (b^.width + 31) shr 5;
  common.leftBytes := a^.height * 4;
  common.rightBytes := b^.height * 4;
  FindCommon := (rows > 0) and (common.shift < a^.width);
end;

{$ASMCPU 80386}

function TouchDword(left, right: PRow; rows, shift: word): boolean; assembler; [public, alias: 'TouchDword'];
asm
    push ds
    lds  si, left
    les  bx, right
    sub  bx, si
    mov  cl, byte ptr shift
    mov  ch, byte ptr rows
@row:
    mov  eax, [si]
    shl  eax, cl
    and  eax, es:[bx+si]
    jnz  @found
    add  si, 4
    dec  ch
    jnz  @row
@found:
    setnz al
    pop  ds
end;

function TouchQword(left, right: PRow; leftBytes, rightBytes, rows, shift: word): boolean; assembler;
  [public, alias: 'TouchQword'];
asm
    push ds
    push bp
    lds  si, left
    les  di, right
    mov  bx, leftBytes
    mov  cl, byte ptr shift
    mov  ch, byte ptr rows
    mov  bp, rightBytes
    cmp  cl, 32
    jae  @far
@row:
    mov  eax, [si]
    mov  edx, [bx+si]
    shld eax, edx, cl
    shl  edx, cl
    and  eax, es:[di]
    and  edx, es:[bp+di]
    or   eax, edx
    jnz  @found
    add  si, 4
    add  di, 4
    dec  ch
    jnz  @row
    jmp  @found
@far:                                   { by 32 and more: the second part over the other's first }
    mov  eax, [bx+si]
    shl  eax, cl                        { by the count's lower 5 bits }
    and  eax, es:[di]
    jnz  @found
    add  si, 4
    add  di, 4
    dec  ch
    jnz  @far
@found:
    setnz al
    pop  bp
    pop  ds
end;

{$ASMCPU 80286}

function TouchWord(left, right: PRow; rows, shift: word): boolean; assembler; [public, alias: 'TouchWord'];
asm
    push ds
    lds  si, left
    les  di, right
    mov  cl, byte ptr shift
    mov  ch, byte ptr rows
    mov  dx, 0ffffh
    shl  dx, cl                         { where the shifted lower word has bits of its own; not used from 16 on }
    cmp  cl, 16
    jae  @far
@row:
    mov  ax, [si+2]
    mov  bx, [si]
    rol  ax, cl
    rol  bx, cl
    xor  ax, bx                         { ax: its own upper bits, and the lower ones of bx }
    and  ax, dx
    xor  ax, bx
    and  bx, dx
    and  ax, es:[di+2]
    and  bx, es:[di]
    or   ax, bx
    jnz  @found
    add  si, 4
    add  di, 4
    dec  ch
    jnz  @row
    jmp  @found
@far:                                   { by 16 and more: the lower word over the other's upper one }
    sub  cl, 16
@farRow:
    mov  ax, [si]
    shl  ax, cl
    and  ax, es:[di+2]
    jnz  @found
    add  si, 4
    add  di, 4
    dec  ch
    jnz  @farRow
@found:
    mov  al, 0
    jz   @none
    inc  ax
@none:
    pop  ds
end;

function CollideDword(a: PMask; ax, ay: integer; b: PMask; bx, by: integer): boolean; [public, alias: 'CollideDword'];
var
  c: TCommon;
begin
  CollideDword := FindCommon(a, ax, ay, b, bx, by, c) and TouchDword(c.left, c.right, c.rows, c.shift);
end;

function CollideQword(a: PMask; ax, ay: integer; b: PMask; bx, by: integer): boolean; [public, alias: 'CollideQword'];
var
  c: TCommon;
begin
  CollideQword := FindCommon(a, ax, ay, b, bx, by, c)
    and TouchQword(c.left, c.right, c.leftBytes, c.rightBytes, c.rows, c.shift);
end;

function CollideWord(a: PMask; ax, ay: integer; b: PMask; bx, by: integer): boolean; [public, alias: 'CollideWord'];
var
  c: TCommon;
begin
  CollideWord := FindCommon(a, ax, ay, b, bx, by, c) and TouchWord(c.left, c.right, c.rows, c.shift);
end;

{ Return the rows of the n-th part, from a row on. }
function PartOf(row: PRow; bytes, n: word): PRow; assembler; [public, alias: 'PartOf'];
asm
    mov  ax, bytes
    mul  n
    add  ax, word ptr row
    mov  dx, word ptr row+2
end;

function CollideParts(a: PMask; ax, ay: integer; b: PMask; bx, by: integer): boolean; [public, alias: 'CollideParts'];
var
  c: TCommon;
  i, j: word;
  ours, theirs: PRow;
  shift: integer;
begin
  CollideParts := true;
  if FindCommon(a, ax, ay, b, bx, by, c) then
    for i := 0 to c.leftParts - 1 do
      for j := 0 to c.rightParts - 1 do
      begin
        ours := PartOf(c.left, c.leftBytes, i);
        theirs := PartOf(c.right, c.rightBytes, j);
        shift := integer(c.shift + j * 32 - i * 32);
        if (shift >= 0) and (shift < 32) then
        begin
          if TouchDword(ours, theirs, c.rows, shift) then
            exit;
        end
        else if (shift < 0) and (shift > -32) then
          if TouchDword(theirs, ours, c.rows, -shift) then
            exit;
      end;
  CollideParts := false;
end;

procedure CollideList(pair: PPair; count: word; collide: TCollide); [public, alias: 'CollideList'];
begin
  while count > 0 do
  begin
    pair^.collided := collide(pair^.a, pair^.ax, pair^.ay, pair^.b, pair^.bx, pair^.by);
    inc(pair);
    dec(count);
  end;
end;

end.
