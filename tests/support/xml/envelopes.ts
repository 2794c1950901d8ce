/**
 * Good envelopes as the callers' stacks write them, and documents with every other construct that is
 * accepted. The word `qz` stands in every value that a caller chooses: no error may repeat it.
 */
export const ENVELOPES: readonly string[] = [
  `<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
  <soap:Body>
    <Pair xmlns="http://authenticatorapi.com/">
      <appName>qz &amp; Sons</appName>
      <appInfo>qz@example.org</appInfo>
      <secretCode>qz-12345</secretCode>
    </Pair>
  </soap:Body>
</soap:Envelope>`,
  `<?xml version='1.0' encoding='UTF-8' standalone='no' ?>\r\n<env:Envelope xmlns:env='http://www.w3.org/2003/05/soap-envelope'\r\n\txmlns:qz='http://authenticatorapi.com/'><env:Header><qz:h env:mustUnderstand='0' env:role='next'/></env:Header><env:Body><qz:ValidatePin env:encodingStyle=''><qz:pin>&#49;2<!-- qz -->3<![CDATA[456 <qz> ]]></qz:pin><qz:secretCode>qz&#xE9;&#128273;\u{1F511}</qz:secretCode></qz:ValidatePin></env:Body></env:Envelope>\r\n`,
  `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><ns2:Pair xmlns:ns2="http://authenticatorapi.com/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><ns2:appName xsi:type="xsd:string" xsi:nil="true" /><ns2:secretCode xml:space="preserve"> qz\t</ns2:secretCode></ns2:Pair></S:Body></S:Envelope>`,
  `<!-- qz --><?qz qz?><Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><qz xmlns="" xml:lang='qz' b:c="&quot;qz'" xmlns:b="u"><b:\u00E9 d=">]]>"></b:\u00E9>]]&gt;</qz ></Body></Envelope><?qz?> <!---->`,
  `<a xmlns="u" xmlns:p="u" xmlns:q="v" b="1" p:b="2" q:b="3"><p:a xmlns:p="v" p:b="qz"/><b xmlns="v"><q:c/><c xmlns=""/></b><\u{10000}:a xmlns:\u{10000}="w"/></a>`,
];

/** What a mutation puts in: the pieces that productions are made of, whole and broken. */
// deno-fmt-ignore
export const PIECES: readonly string[] = [
  "<", ">", "/", "</", "/>", "=", '"', "'", "&", ";", "#", ":", "?", "!", "-", "[", "]", " ", "\t",
  "\n", "\r", "\r\n", "\0", "\x1F", "\x7F", "\x85", "\xA0", "\xB7", "\u0300", "\u2028", "\uD800",
  "\uDC00", "\uFEFF", "\uFFFD", "\uFFFE", "\u{1F511}", "\u{10FFFF}", "a", "b", "1", ".", "x", "qz",
  "<a>", "</a>", "<a/>", "<a b='1'>", "<p:a", "</p:a>", "<a:b:c/>", "<:a/>", "<a:/>", "<1/>",
  "<!--", "-->", "--", "<!---->", "<!-- qz -->", "<![CDATA[", "]]>", "<![CDATA[]]>", "<!DOCTYPE a>",
  "<!ELEMENT", "<?", "?>", "<?a b?>", "<?a:b?>", "<?xml?>", "<?xml version='1.0'?>",
  "<?xml version='1.1'?>", " version='1.0'", " encoding='utf-8'", " encoding='latin1'",
  " standalone='yes'", "&amp;", "&lt;", "&gt;", "&apos;", "&quot;", "&nbsp;", "&amp", "&#",
  "&#38;", "&#60;", "&#9;", "&#10;", "&#xD;", "&#x;", "&#0;", "&#xD800;", "&#xFFFE;", "&#x10FFFF;",
  "&#x110000;", "&#00065;", " b='1'", " b=\"<\"", " p:b='1'", " q:b='1'", " xml:b='1'", " b=1",
  " xmlns=''", " xmlns='u'", " xmlns:p=''", " xmlns:p='u'", " xmlns:q='u'", " xmlns:='u'",
  " xmlns:xml='u'", " xmlns:xmlns='u'", " xmlns:xml='http://www.w3.org/XML/1998/namespace'",
  " xmlns:p='http://www.w3.org/2000/xmlns/'", " xmlns='http://www.w3.org/XML/1998/namespace'",
];
