/**
 * Runs something with a new folder, and removes the folder afterwards.
 *
 * @param prefix What the name of the folder begins with.
 */
export async function withFolder<T>(
  act: (folder: string) => T | Promise<T>,
  prefix = "authenticator-",
): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix });
  try {
    return await act(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
