require 'json'
require 'net/http'
require 'securerandom'

URL = '{{url}}'
API_KEY = '{{apiKey}}' # Empty where the server asks for none.
APP_NAME = 'Example Corp'
ACCOUNT = 'jane@example.com'
USER_ADDRESS = '203.0.113.7' # IP address of the user who types the pin.

def call(operation, arguments)
  uri = URI("#{URL}/#{operation}")
  headers = {
    'Content-Type' => 'application/json',
    'X-Api-Key' => API_KEY,
    'X-Authenticator-Source' => USER_ADDRESS
  }
  limits = { open_timeout: 10, read_timeout: 10 }
  reply = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https', **limits) do |http|
    http.post(uri.request_uri, JSON.generate(arguments), headers)
  end
  answer = JSON.parse(reply.body)
  raise answer['Message'] unless reply.is_a?(Net::HTTPSuccess)

  answer['d']
end

# Keep the secret encrypted or sealed beside the account: each login needs it.
secret = +'{{secretStart}}'
secret << 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[SecureRandom.random_number(32)] while secret.length < 32

pairing = call('Pair', appName: APP_NAME, appInfo: ACCOUNT, secretCode: secret)
puts "Setup key: #{pairing['ManualSetupCode']}"
puts "QR code for your page: #{pairing['Html']}"

print 'Pin: '
pin = gets.strip
is_right = call('ValidatePin', pin: pin, secretCode: secret) == true
puts is_right ? 'The pin is right.' : 'The pin is not right.'
