/*
 * Calls an operation with stubs that wsdl2h and soapcpp2 of gSOAP made from a WSDL, and prints what
 * came of it as JSON.
 *
 * Usage: gsoap VERSION OPERATION VALUE...
 */

#include "AuthenticatorAPISoap.nsmap"
#include "soapH.h"

static void print_text(const char *text)
{
  putchar('"');
  for (; *text; text++)
  {
    if (*text == '"' || *text == '\\')
      printf("\\%c", *text);
    else if ((unsigned char)*text < 0x20)
      printf("\\u%04x", *text);
    else
      putchar(*text);
  }
  putchar('"');
}

static int print_pairing(const struct Api__PairingInfo *info)
{
  printf("{\"result\":{\"ManualSetupCode\":");
  print_text(info->ManualSetupCode);
  printf(",\"Html\":");
  print_text(info->Html);
  puts("}}");
  return 0;
}

static int print_fault(struct soap *soap)
{
  if (soap->error != SOAP_FAULT)
    return 1;
  printf("{\"fault\":{\"code\":");
  print_text(*soap_faultcode(soap));
  printf(",\"message\":");
  print_text(soap_fault_string(soap));
  puts("}}");
  return 0;
}

static int pair(struct soap *soap, int version, char **values)
{
  struct _Api__Pair in = {values[0], values[1], values[2]};
  struct _Api__PairResponse out;
  int error = version == 1 ? soap_call___Api2__Pair(soap, NULL, NULL, &in, &out)
                           : soap_call___Api3__Pair(soap, NULL, NULL, &in, &out);
  return error ? print_fault(soap) : print_pairing(out.PairResult);
}

static int validate_pin(struct soap *soap, int version, char **values)
{
  struct _Api__ValidatePin in = {values[0], values[1]};
  struct _Api__ValidatePinResponse out;
  int error = version == 1 ? soap_call___Api2__ValidatePin(soap, NULL, NULL, &in, &out)
                           : soap_call___Api3__ValidatePin(soap, NULL, NULL, &in, &out);
  if (error)
    return print_fault(soap);
  printf("{\"result\":%s}\n", out.ValidatePinResult ? "true" : "false");
  return 0;
}

int main(int argc, char **argv)
{
  struct soap *soap = soap_new1(SOAP_C_UTFSTRING);
  int version = !strcmp(argv[1], "1.1") ? 1 : 2;
  int result;
  soap_set_version(soap, version);
  result = argc == 6 ? pair(soap, version, argv + 3) : validate_pin(soap, version, argv + 3);
  if (!result && soap->version != version)
    result = fprintf(stderr, "not SOAP 1.%d\n", version);
  if (result)
    soap_print_fault(soap, stderr);
  soap_destroy(soap);
  soap_end(soap);
  soap_free(soap);
  return result != 0;
}
