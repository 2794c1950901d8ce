' Host of a classic ASP page in VBScript: Server, Request, Response and Session, as far as the page's
' program uses them. The test puts the page behind it, with what it does for a request as ServePage.
' The last line is the secret of the session.
'
' Usage: cscript //nologo PAGE.vbs METHOD [PIN SECRET]
Option Explicit

Class ServerHost
  Public Function CreateObject(name)
    Set CreateObject = WScript.CreateObject(name)
  End Function

  ' ASCII alone: Wine has no AscW.
  Public Function URLEncode(text)
    Dim i
    For i = 1 To Len(text)
      URLEncode = URLEncode & "%" & Right("0" & Hex(Asc(Mid(text, i, 1))), 2)
    Next
  End Function
End Class

Class RequestHost
  Public Property Get ServerVariables(name)
    If name = "REQUEST_METHOD" Then ServerVariables = WScript.Arguments(0)
    If name = "REMOTE_ADDR" Then ServerVariables = "203.0.113.7"
  End Property

  Public Property Get Form(name)
    If name = "pin" Then Form = WScript.Arguments(1)
  End Property
End Class

Class ResponseHost
  Public Charset

  Public Sub Write(text)
    WScript.Echo text
  End Sub
End Class

Dim Server, Request, Response, Session
Set Server = New ServerHost
Set Request = New RequestHost
Set Response = New ResponseHost
Set Session = WScript.CreateObject("Scripting.Dictionary")
If WScript.Arguments(0) = "POST" Then Session("secret") = WScript.Arguments(2)

' Errors are caught and shown, as IIS does: Wine's cscript ends without a word.
On Error Resume Next
ServePage
If Err.Number <> 0 Then WScript.Echo "Error: " & Err.Description
WScript.Echo Session("secret")
WScript.Quit
