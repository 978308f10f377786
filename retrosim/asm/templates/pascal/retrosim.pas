{ What a program finds on the machine, and what it may ask for (retrosim guide programs). }
unit retrosim;

interface

const
  ScreenWidth = 640;
  ScreenHeight = 480;
  PadLeft = 1;
  PadRight = 2;
  PadUp = 4;
  PadDown = 8;
  PadFire = 16;

type
  TScreen = array[0..ScreenHeight - 1, 0..ScreenWidth - 1] of byte;
  TPalette = array[0..255] of longword; { $00RRGGBB }

var
  Screen: TScreen absolute $800000;
  Palette: TPalette absolute $F00000;
  Pad: longword absolute $F00400; { PadLeft ... }

{ Services of the machine, in start.s. }
procedure YieldFrame; cdecl; external name 'yield_frame'; { ends the frame: waits for the next tick }
function Microseconds: longword; cdecl; external name 'microseconds'; { time since power-on }
procedure ExitProgram(status: longint); cdecl; external name 'exit_program';
procedure WriteText(text: pointer; length: longint); cdecl; external name 'write_text';

implementation

end.
