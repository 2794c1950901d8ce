<%@ Language="VBScript" CodePage="65001" %>
<%
Option Explicit
Response.Charset = "utf-8"
Const Url = "{{url}}"
Const ApiKey = "{{apiKey}}" ' Empty where the server asks for none.
Const AppName = "Example Corp"
Const Account = "jane@example.com"

Function CallService(operation, form)
  Dim http
  Set http = Server.CreateObject("MSXML2.ServerXMLHTTP.6.0")
  http.setTimeouts 10000, 10000, 10000, 10000
  http.open "POST", Url & "/" & operation, False
  http.setRequestHeader "Content-Type", "application/x-www-form-urlencoded"
  http.setRequestHeader "X-Api-Key", ApiKey
  http.setRequestHeader "X-Authenticator-Source", Request.ServerVariables("REMOTE_ADDR")
  http.send form
  If http.status <> 200 Then Err.Raise 1, , http.responseText
  Set CallService = http.responseXML.documentElement
End Function

' Windows draws 122 random bits of each GUID; Rnd of VBScript can be guessed.
Function NewSecret()
  Dim digits, i
  digits = NewGuid() & NewGuid()
  NewSecret = "{{secretStart}}"
  For i = 1 To 63 Step 2
    NewSecret = NewSecret & _
      Mid("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", CLng("&H" & Mid(digits, i, 2)) Mod 32 + 1, 1)
  Next
End Function

Function NewGuid()
  NewGuid = Replace(Mid(Server.CreateObject("Scriptlet.TypeLib").GUID, 2, 36), "-", "")
End Function

Dim pairing, answer
If Request.ServerVariables("REQUEST_METHOD") <> "POST" Then
  ' Keep the secret encrypted or sealed beside the account: each login needs it.
  Session("secret") = NewSecret()
  Set pairing = CallService("Pair", "appName=" & Server.URLEncode(AppName) & _
    "&appInfo=" & Server.URLEncode(Account) & _
    "&secretCode=" & Server.URLEncode(Session("secret")))
  ' Html is markup: write it as it is.
  Response.Write pairing.getElementsByTagName("Html")(0).text
  Response.Write "<p>Setup key: " & pairing.getElementsByTagName("ManualSetupCode")(0).text & "</p>"
  Response.Write "<form method='post'>Pin: <input name='pin'> <button>Check</button></form>"
Else
  Set answer = CallService("ValidatePin", "pin=" & Server.URLEncode(Request.Form("pin")) & _
    "&secretCode=" & Server.URLEncode(Session("secret")))
  If answer.text = "true" Then
    Response.Write "The pin is right."
  Else
    Response.Write "The pin is not right."
  End If
End If
%>
