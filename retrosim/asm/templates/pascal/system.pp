{ What Free Pascal requires of its lowest unit: it stands in for the run-time library, which needs an operating system. }
unit system;

interface

type
  HResult = longint;
  Integer = smallint;
  PChar = ^char;
  TTypeKind = (tkUnknown);
  jmp_buf = packed record a: array[0..5] of longint end;
  PJmp_Buf = ^jmp_buf;
  TExceptAddr = record buf, next: pointer; frametype: longint end;
  TGuid = record d1: longword; d2, d3: word; d4: array[0..7] of byte end;
  PShortString = ^shortstring;

{$ifdef cpum68k} { the MC68000 does not multiply and divide 32 bits by 32 }
function fpc_mul_longint(left, right: longint): longint; compilerproc;
function fpc_mul_dword(left, right: longword): longword; compilerproc;
function fpc_div_longint(divisor, number: longint): longint; compilerproc;
function fpc_mod_longint(divisor, number: longint): longint; compilerproc;
function fpc_div_dword(divisor, number: longword): longword; compilerproc;
function fpc_mod_dword(divisor, number: longword): longword; compilerproc;
{$endif}
procedure fpc_initializeunits; compilerproc;
procedure fpc_do_exit; compilerproc;

implementation

{$ifdef cpum68k}
function kit_mul(left, right: longint): longint; cdecl; external name '__mulsi3';
function kit_div(number, divisor: longint): longint; cdecl; external name '__divsi3';
function kit_mod(number, divisor: longint): longint; cdecl; external name '__modsi3';
function kit_udiv(number, divisor: longword): longword; cdecl; external name '__udivsi3';
function kit_umod(number, divisor: longword): longword; cdecl; external name '__umodsi3';

function fpc_mul_longint(left, right: longint): longint; [public, alias: 'fpc_mul_longint']; compilerproc;
begin
  fpc_mul_longint := kit_mul(left, right);
end;

function fpc_mul_dword(left, right: longword): longword; [public, alias: 'fpc_mul_dword']; compilerproc;
begin
  fpc_mul_dword := longword(kit_mul(longint(left), longint(right)));
end;

function fpc_div_longint(divisor, number: longint): longint; [public, alias: 'fpc_div_longint']; compilerproc;
begin
  fpc_div_longint := kit_div(number, divisor);
end;

function fpc_mod_longint(divisor, number: longint): longint; [public, alias: 'fpc_mod_longint']; compilerproc;
begin
  fpc_mod_longint := kit_mod(number, divisor);
end;

function fpc_div_dword(divisor, number: longword): longword; [public, alias: 'fpc_div_dword']; compilerproc;
begin
  fpc_div_dword := kit_udiv(number, divisor);
end;

function fpc_mod_dword(divisor, number: longword): longword; [public, alias: 'fpc_mod_dword']; compilerproc;
begin
  fpc_mod_dword := kit_umod(number, divisor);
end;
{$endif}

procedure fpc_initializeunits; [public, alias: 'FPC_INITIALIZEUNITS']; compilerproc;
begin
end;

procedure fpc_do_exit; [public, alias: 'FPC_DO_EXIT']; compilerproc;
begin
end;

end.
