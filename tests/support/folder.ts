/** Runs something with a new folder, and removes the folder afterwards. */
export async function withFolder<T>(act: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "authenticator-" });
  try {
    return await act(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
