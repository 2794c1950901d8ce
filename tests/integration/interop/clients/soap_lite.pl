# Calls an operation with SOAP::Lite and prints what came of it as JSON. SOAP::Lite's stubs from a
# WSDL do not put parameters into a namespace, so this takes the address and writes the call itself,
# as people do with it; with STUB it shows what comes of the stubs.
#
# Usage: perl soap_lite.pl ADDRESS VERSION OPERATION [STUB] < PARAMETERS.json

use strict;
use warnings;

use JSON::PP;

eval { require SOAP::Lite; 1 }
  or die "the module SOAP::Lite of Perl is missing: apt-get install libsoap-lite-perl\n";

my $namespace = 'http://authenticatorapi.com/';
my ($address, $version, $operation, $stub) = @ARGV;
# In the order of the WSDL, which is all that a stub goes by.
my @names = $operation eq 'Pair' ? qw(appName appInfo secretCode) : qw(pin secretCode);
my $parameters = decode_json(do { local $/; <STDIN> });

sub outcome {
    my ($reply) = @_;
    die "no reply\n" unless ref $reply;
    if ($reply->fault) {
        # It knows the names of SOAP 1.1 alone.
        my $code = $reply->faultcode // $reply->valueof('//Fault/Code/Value');
        my $message = $reply->faultstring // $reply->valueof('//Fault/Reason/Text');
        return { fault => { code => $code, message => $message } };
    }
    my $result = $reply->result;
    return { result => $result } if ref $result;
    return { result => $result eq 'true' ? JSON::PP::true : JSON::PP::false };
}

my $reply;
if ($stub) {
    local $SIG{__WARN__} = sub { };
    my $service = SOAP::Lite->service("$address?wsdl");
    $service->soapversion($version);
    $service->want_som(1);
    $reply = $service->$operation(map { $parameters->{$_} } @names);
} else {
    SOAP::Lite->soapversion($version); # Of all that is made from here on.
    my $client = SOAP::Lite->new(proxy => $address);
    $client->on_action(sub { qq("$namespace$operation") });
    $client->on_fault(sub { $_[1] });
    my @data = map { SOAP::Data->name($_)->type(string => $parameters->{$_}) } @names;
    $reply = $client->call(SOAP::Data->name($operation)->attr({ xmlns => $namespace }), @data);
    my $sent = $version eq '1.1' ? 'text/xml' : 'application/soap+xml';
    my $got = $client->transport->http_response->content_type;
    die "not SOAP $version: $got\n" unless $got eq $sent;
}
print JSON::PP->new->ascii->canonical->encode(outcome($reply)), "\n";
