/** What a person with a phone does: reads the picture on the screen, and computes the pin. */

/// <reference types="../../support/peers.d.ts" />

import { Buffer } from "node:buffer";
import { assert } from "@std/assert/assert";
import jsqr from "jsqr";
import { URI } from "otpauth";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";
import { eventually } from "../../support/eventually.ts";
import { referenceHotp } from "../../support/reference_totp.ts";

/** Reads the QR code in the first element that a selector finds, from how it looks. */
export async function scan(page: Page, selector = ".tile"): Promise<string> {
  await page.locator(`:not([aria-busy=true]) > ${selector} > :is(svg, img)`).waitFor();
  const screenshot = await page.locator(selector).first().screenshot();
  const text = scanScreenshot(screenshot);
  assert(text !== undefined, "no QR code can be read on the screenshot");
  return text;
}

/** Reads the QR code on a screenshot. */
export function scanScreenshot(screenshot: Uint8Array): string | undefined {
  const { width, height, data } = PNG.sync.read(screenshot);
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data;
}

/** Waits until the picture on the page is another than the one with this Key URI. */
export async function scanAnother(page: Page, before: string): Promise<string> {
  let uri = before;
  await eventually(async () => (uri = await scan(page)) !== before, "the picture is another");
  return uri;
}

/** The pin for a Key URI of now. */
export function pinOf(uri: string): string {
  const totp = URI.parse(uri);
  assert("period" in totp);
  const { secret, algorithm, digits, period } = totp;
  const key = Buffer.from(secret.buffer);
  return referenceHotp(key, Math.floor(Date.now() / 1000 / period), {
    algorithm: algorithm as "SHA1",
    digits,
  });
}

/**
 * A pin that is wrong now. That it is right for a time step beside this one has a chance of one in
 * 500,000.
 */
export function wrongPinOf(uri: string): string {
  const right = pinOf(uri);
  return `${(Number(right[0]) + 5) % 10}${right.slice(1)}`;
}
