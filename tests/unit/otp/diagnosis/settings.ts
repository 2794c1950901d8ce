import type { PinSettings } from "../../../../lib/otp/diagnosis/diagnosis.ts";

/** The settings of a server without options. */
export const SETTINGS: PinSettings = {
  algorithm: "SHA1",
  digits: 6,
  period: 30,
  window: 1,
  secretEncoding: "text",
};
