program PairAndCheck;

{$APPTYPE CONSOLE}

uses
  System.SysUtils, System.Classes, System.Net.HttpClient;

const
  Url = '{{url}}';
  ApiKey = '{{apiKey}}'; // Empty where the server asks for none.
  AppName = 'Example Corp';
  Account = 'jane@example.com';
  UserAddress = '203.0.113.7'; // IP address of the user who types the pin.
  UseSystemPreferredRng = 2;

function BCryptGenRandom(Algorithm: Pointer; var Buffer; Size, Flags: Cardinal): Integer;
  stdcall; external 'bcrypt.dll';

function NewSecret: string;
var
  Bytes: array[0..31] of Byte;
  Each: Byte;
begin
  if BCryptGenRandom(nil, Bytes, SizeOf(Bytes), UseSystemPreferredRng) <> 0 then
    raise Exception.Create('No random bytes');
  Result := '{{secretStart}}';
  for Each in Bytes do
    Result := Result + Copy('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', Each mod 32 + 1, 1);
end;

function Call(const Operation: string; const Names, Values: array of string): string;
var
  Client: THTTPClient;
  Form: TStringList;
  Reply: IHTTPResponse;
  I: Integer;
begin
  Client := THTTPClient.Create;
  Form := TStringList.Create;
  try
    Client.ConnectionTimeout := 10000;
    Client.ResponseTimeout := 10000;
    Client.CustomHeaders['X-Api-Key'] := ApiKey;
    Client.CustomHeaders['X-Authenticator-Source'] := UserAddress;
    for I := 0 to High(Names) do
      Form.AddPair(Names[I], Values[I]);
    Reply := Client.Post(Url + '/' + Operation, Form);
    Result := Reply.ContentAsString(TEncoding.UTF8);
    if Reply.StatusCode <> 200 then
      raise Exception.Create(Result);
  finally
    Form.Free;
    Client.Free;
  end;
end;

var
  Secret, Pin: string;
begin
  // Keep the secret encrypted or sealed beside the account: each login needs it.
  Secret := NewSecret;
  Writeln(Call('Pair', ['appName', 'appInfo', 'secretCode'], [AppName, Account, Secret]));

  Write('Pin: ');
  Readln(Pin);
  if Call('ValidatePin', ['pin', 'secretCode'], [Pin, Secret]).EndsWith('>true</boolean>') then
    Writeln('The pin is right.')
  else
    Writeln('The pin is not right.');
end.
