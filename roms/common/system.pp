{ What Free Pascal requires of its lowest unit; nothing of it becomes code of the ROM. }
unit system;

interface

type
  HResult = longint;
  DWord = longword;
  AnsiChar_ = char;
  Integer = smallint;
  PChar = ^char;
  TTypeKind = (tkUnknown);
  jmp_buf = packed record a: array[0..5] of longint end;
  PJmp_Buf = ^jmp_buf;
  TExceptAddr = record buf, next: pointer; frametype: longint end;
  TGuid = record d1: longword; d2, d3: word; d4: array[0..7] of byte end;
  PShortString = ^shortstring;

procedure fpc_initializeunits; compilerproc;
procedure fpc_do_exit; compilerproc;

implementation

procedure fpc_initializeunits; [public, alias: 'FPC_INITIALIZEUNITS']; compilerproc;
begin
end;

procedure fpc_do_exit; [public, alias: 'FPC_DO_EXIT']; compilerproc;
begin
end;

end.
