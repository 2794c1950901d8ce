package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"math/big"
	"net/http"
	"os"
	"strings"
	"time"
)

const (
	serviceURL  = "{{url}}"
	apiKey      = "{{apiKey}}" // Empty where the server asks for none.
	appName     = "Example Corp"
	account     = "jane@example.com"
	userAddress = "203.0.113.7" // IP address of the user who types the pin.
	alphabet    = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

var client = http.Client{Timeout: 10 * time.Second}

// call calls an operation and decodes its result.
func call(operation string, arguments map[string]string, result any) error {
	body, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	request, err := http.NewRequest("POST", serviceURL+"/"+operation, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Api-Key", apiKey)
	request.Header.Set("X-Authenticator-Source", userAddress)
	reply, err := client.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	answer := struct {
		D       any `json:"d"`
		Message string
	}{D: result}
	if err := json.NewDecoder(reply.Body).Decode(&answer); err != nil {
		return err
	}
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", operation, answer.Message)
	}
	return nil
}

// newSecret makes a random secret of 32 characters.
func newSecret() (string, error) {
	secret := "{{secretStart}}"
	for len(secret) < 32 {
		index, err := rand.Int(rand.Reader, big.NewInt(int64(len(alphabet))))
		if err != nil {
			return "", err
		}
		secret += string(alphabet[index.Int64()])
	}
	return secret, nil
}

func main() {
	// Keep the secret encrypted or sealed beside the account: each login needs it.
	secret, err := newSecret()
	if err != nil {
		log.Fatal(err)
	}
	var pairing struct{ ManualSetupCode, Html string }
	names := map[string]string{"appName": appName, "appInfo": account, "secretCode": secret}
	if err := call("Pair", names, &pairing); err != nil {
		log.Fatal(err)
	}
	fmt.Println("Setup key:", pairing.ManualSetupCode)
	fmt.Println("QR code for your page:", pairing.Html)

	fmt.Print("Pin: ")
	pin, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		log.Fatal(err)
	}
	isRight := false
	check := map[string]string{"pin": strings.TrimSpace(pin), "secretCode": secret}
	if err := call("ValidatePin", check, &isRight); err != nil {
		log.Fatal(err)
	}
	if isRight {
		fmt.Println("The pin is right.")
	} else {
		fmt.Println("The pin is not right.")
	}
}
