' Calls an operation as classic ASP and VB6 do, with MSXML or WinHTTP, and prints what came of it as JSON.
' Arguments of the operation come as the numbers of their UTF-16 units, since a command line has no
' other way that leaves every character whole.
'
' Usage: cscript //nologo msxml.vbs CLASS URL BINDING OPERATION [NAME=UNIT,UNIT...]...
Option Explicit

Const Service = "http://authenticatorapi.com/"
Dim arguments, className, url, binding, operation, http, reply
Set arguments = WScript.Arguments
className = arguments(0)
url = arguments(1)
binding = arguments(2)
operation = arguments(3)
Set http = WScript.CreateObject(className)
Send
' Neither class throws on an error status: the status says which it is, and the body why.
If http.status = 200 Then
  WScript.Echo "{""result"":" & ResultText() & "}"
ElseIf http.status = StatusOfMistakes() Then
  WScript.Echo "{""fault"":" & FaultText() & "}"
Else
  WScript.Echo "Status " & http.status & ": " & http.responseText
End If

Function StatusOfMistakes()
  If Left(binding, 4) = "SOAP" Then StatusOfMistakes = 500 Else StatusOfMistakes = 400
End Function

Sub Send()
  Dim path
  path = url & "/api.asmx/" & operation
  Select Case binding
    Case "HTTP GET"
      http.open "GET", path & "?" & Form(), False
      http.send
    Case "HTTP POST"
      Post path, "application/x-www-form-urlencoded", Form()
    Case "JSON"
      Post path, "application/json; charset=utf-8", Json()
    Case "SOAP 1.1"
      Post url & "/api.asmx", "text/xml; charset=utf-8", _
        Envelope("http://schemas.xmlsoap.org/soap/envelope/")
    Case "SOAP 1.2"
      Post url & "/api.asmx", "application/soap+xml; charset=utf-8", _
        Envelope("http://www.w3.org/2003/05/soap-envelope")
  End Select
End Sub

Sub Post(address, mediaType, body)
  http.open "POST", address, False
  http.setRequestHeader "Content-Type", mediaType
  If binding = "SOAP 1.1" Then
    http.setRequestHeader "SOAPAction", """" & Service & operation & """"
  End If
  http.send body
End Sub

Function Envelope(name)
  Dim i
  Envelope = "<soap:Envelope xmlns:soap=""" & name & """><soap:Body><" & operation & " xmlns=""" & _
    Service & """>"
  For i = 4 To arguments.Count - 1
    Envelope = Envelope & "<" & NameOf(i) & ">" & EscapedForXml(TextOf(UnitsOf(i))) & "</" & NameOf(i) & ">"
  Next
  Envelope = Envelope & "</" & operation & "></soap:Body></soap:Envelope>"
End Function

Function Json()
  Dim i
  For i = 4 To arguments.Count - 1
    If i > 4 Then Json = Json & ","
    Json = Json & """" & NameOf(i) & """:" & Quoted(TextOf(UnitsOf(i)))
  Next
  Json = "{" & Json & "}"
End Function

Function Form()
  Dim i
  For i = 4 To arguments.Count - 1
    If i > 4 Then Form = Form & "&"
    Form = Form & NameOf(i) & "=" & PercentEncoded(UnitsOf(i))
  Next
End Function

Function NameOf(i)
  NameOf = Left(arguments(i), InStr(arguments(i), "=") - 1)
End Function

Function UnitsOf(i)
  Dim text
  text = Mid(arguments(i), InStr(arguments(i), "=") + 1)
  ' Split of an empty text has an element in Wine.
  If text = "" Then UnitsOf = Array() Else UnitsOf = Split(text, ",")
End Function

' Text of units by references to characters: Wine has no ChrW.
Function TextOf(units)
  Dim i, code, xml, document
  i = 0
  Do While i <= UBound(units)
    code = CLng(units(i))
    If code >= 55296 And code < 56320 Then
      i = i + 1
      code = 65536 + (code - 55296) * 1024 + CLng(units(i)) - 56320
    End If
    xml = xml & "&#" & code & ";"
    i = i + 1
  Loop
  Set document = WScript.CreateObject("MSXML2.DOMDocument.6.0")
  document.preserveWhiteSpace = True
  document.loadXML "<text>" & xml & "</text>"
  TextOf = document.documentElement.text
End Function

Function EscapedForXml(text)
  EscapedForXml = Replace(Replace(Replace(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;")
End Function

' UTF-8 bytes of units, each as an escape.
Function PercentEncoded(units)
  Dim i, code
  i = 0
  Do While i <= UBound(units)
    code = CLng(units(i))
    If code >= 55296 And code < 56320 Then
      i = i + 1
      code = 65536 + (code - 55296) * 1024 + CLng(units(i)) - 56320
    End If
    If code < 128 Then
      PercentEncoded = PercentEncoded & Octet(code)
    ElseIf code < 2048 Then
      PercentEncoded = PercentEncoded & Octet(192 + code \ 64) & Octet(128 + code Mod 64)
    ElseIf code < 65536 Then
      PercentEncoded = PercentEncoded & Octet(224 + code \ 4096) & Octet(128 + (code \ 64) Mod 64) & _
        Octet(128 + code Mod 64)
    Else
      PercentEncoded = PercentEncoded & Octet(240 + code \ 262144) & _
        Octet(128 + (code \ 4096) Mod 64) & Octet(128 + (code \ 64) Mod 64) & Octet(128 + code Mod 64)
    End If
    i = i + 1
  Loop
End Function

Function Octet(value)
  Octet = "%" & Right("0" & Hex(value), 2)
End Function

' Document of the reply: MSXML has it, and the text of WinHTTP is loaded into one.
Function ReplyDocument()
  If className = "WinHttp.WinHttpRequest.5.1" Then
    Set ReplyDocument = WScript.CreateObject("MSXML2.DOMDocument.6.0")
    ReplyDocument.loadXML http.responseText
  Else
    Set ReplyDocument = http.responseXML
  End If
End Function

Function TextIn(document, name)
  TextIn = document.selectSingleNode("//*[local-name()='" & name & "']").text
End Function

Function ResultText()
  Dim document
  If binding = "JSON" Then
    If operation = "Pair" Then
      ResultText = Pairing(MemberIn("ManualSetupCode"), MemberIn("Html"))
    Else
      ResultText = Mid(http.responseText, 6, Len(http.responseText) - 6)
    End If
    Exit Function
  End If
  Set document = ReplyDocument()
  If operation = "Pair" Then
    ResultText = Pairing(TextIn(document, "ManualSetupCode"), TextIn(document, "Html"))
  ElseIf Left(binding, 4) = "SOAP" Then
    ResultText = TextIn(document, "ValidatePinResult")
  Else
    ResultText = document.documentElement.text
  End If
End Function

Function Pairing(key, html)
  Pairing = "{""ManualSetupCode"":" & Quoted(key) & ",""Html"":" & Quoted(html) & "}"
End Function

Function FaultText()
  Dim document
  Select Case binding
    Case "SOAP 1.1"
      Set document = ReplyDocument()
      FaultText = Fault(TextIn(document, "faultcode"), TextIn(document, "faultstring"))
    Case "SOAP 1.2"
      Set document = ReplyDocument()
      FaultText = Fault(TextIn(document, "Value"), TextIn(document, "Text"))
    Case "JSON"
      FaultText = Fault("", MemberIn("Message"))
    Case Else
      FaultText = Fault("", Replace(http.responseText, vbCrLf, ""))
  End Select
End Function

Function Fault(code, message)
  Fault = "{""code"":" & Quoted(code) & ",""message"":" & Quoted(message) & "}"
End Function

' Member of a reply in JSON, with its escapes undone.
Function MemberIn(name)
  Dim expression, found, text, at
  Set expression = New RegExp
  expression.Pattern = """" & name & """:""([^""]*)"""
  Set found = expression.Execute(http.responseText)
  text = found(0).SubMatches(0)
  at = InStr(text, "\u")
  Do While at > 0
    text = Left(text, at - 1) & Chr(CLng("&H" & Mid(text, at + 2, 4))) & Mid(text, at + 6)
    at = InStr(text, "\u")
  Loop
  MemberIn = text
End Function

Function Quoted(text)
  Quoted = """" & Replace(Replace(text, "\", "\\"), """", "\""") & """"
End Function
