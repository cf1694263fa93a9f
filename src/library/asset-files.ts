/** The files of an asset directory, for compiling and comparing in memory. */
import { type Attempt, isClosed, openDirectory } from "../directory/index.js";

/**
 * Every file of the directory that phases read or write, by path; what is encrypted is opened with `identities`, and
 * stays as it is where none of them fits.
 */
export async function readAssetFiles(
  path: string,
  identities: readonly string[] = [],
): Promise<Attempt<ReadonlyMap<string, Uint8Array>>> {
  const opened = await openDirectory(path, { write: false, identities });
  if (!opened.ok) return opened;
  const files = [...opened.value.files.values()].map((file): [string, Uint8Array] => [
    file.path,
    isClosed(file) && file.sealed !== undefined ? file.sealed.onDisk : file.data,
  ]);
  return { ok: true, value: new Map(files) };
}
