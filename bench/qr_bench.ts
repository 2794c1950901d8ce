// The QR encoder beside npm qrcode, which is given the same text and level.

/// <reference types="../tests/support/peers.d.ts" />

import qrcode from "qrcode";
import { encodeQr } from "../lib/qr/encode.ts";
import { svgElement } from "../lib/qr/svg.ts";

const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const ORDINARY = `otpauth://totp/Contoso:anna%40example.com?secret=${SECRET}&issuer=Contoso`;
const LARGE = `otpauth://totp/${"Contoso%20".repeat(60)}:anna?secret=${SECRET}&issuer=Contoso`;

const ordinaryCode = encodeQr(ORDINARY, "M")!;
const largeCode = encodeQr(LARGE, "M")!;

const ordinaryGroup = `Key URI of ${ORDINARY.length} characters, ${ordinaryCode.version}-M`;
const largeGroup = `Key URI of ${LARGE.length} characters, ${largeCode.version}-M`;

Deno.bench("encodeQr()", { group: ordinaryGroup, baseline: true }, () => {
  encodeQr(ORDINARY, "M");
});

Deno.bench("encodeQr(), mask pattern given", { group: ordinaryGroup }, () => {
  encodeQr(ORDINARY, "M", { mask: 0 });
});

Deno.bench("npm qrcode", { group: ordinaryGroup }, () => {
  qrcode.create(ORDINARY, { errorCorrectionLevel: "M" });
});

Deno.bench("npm qrcode, one byte segment", { group: ordinaryGroup }, () => {
  const data = new TextEncoder().encode(ORDINARY);
  qrcode.create([{ data, mode: "byte" }], { errorCorrectionLevel: "M" });
});

Deno.bench("encodeQr()", { group: largeGroup, baseline: true }, () => {
  encodeQr(LARGE, "M");
});

Deno.bench("npm qrcode", { group: largeGroup }, () => {
  qrcode.create(LARGE, { errorCorrectionLevel: "M" });
});

Deno.bench("svgElement(), ordinary", { group: "SVG", baseline: true }, () => {
  svgElement(ordinaryCode, "QR code");
});

Deno.bench("svgElement(), large", { group: "SVG" }, () => {
  svgElement(largeCode, "QR code");
});
