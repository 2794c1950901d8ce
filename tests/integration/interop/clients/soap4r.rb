# Calls an operation with soap4r, made from a WSDL, and prints what came of it as JSON. soap4r speaks
# SOAP 1.1 alone.
#
# Usage: ruby soap4r.rb WSDL-URL OPERATION < PARAMETERS.json

require "json"

begin
  require "soap/wsdlDriver"
rescue LoadError
  abort "the library soap4r of Ruby is missing: apt-get install ruby-soap4r"
end

wsdl, operation = ARGV
parameters = JSON.parse($stdin.read, symbolize_names: true)
$stderr.reopen(File::NULL) # It says which elements it does not know: those of the other bindings.
factory = SOAP::WSDLDriverFactory.new(wsdl)
driver = factory.create_rpc_driver("AuthenticatorAPI", "AuthenticatorAPISoap")
# Told that a document is in "utf-8", where it has found "UTF-8", REXML 3.3.9 drops three bytes.
driver.mandatorycharset = "UTF-8"
begin
  response = driver.__send__(operation, parameters)
  outcome =
    if operation == "Pair"
      info = response.pairResult
      { result: { ManualSetupCode: info.manualSetupCode, Html: info.html } }
    else
      { result: response.validatePinResult == "true" }
    end
rescue SOAP::FaultError => e
  outcome = { fault: { code: e.faultcode.data.to_s, message: e.faultstring.data } }
end
puts outcome.to_json
