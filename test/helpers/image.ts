/** Images and archives opened: as much of their formats as slipway writes, read apart from what writes them. */
import { gunzipSync } from "node:zlib";

export interface Opened {
  readonly data: Buffer;
  readonly mode: number;
}

const SECTOR = 2048;

/** The label of an image, and its files with their Rock Ridge names and modes. */
export function openImage(image: Uint8Array): {
  readonly label: string;
  readonly files: Map<string, Opened>;
} {
  const bytes = Buffer.from(image);
  const descriptor = bytes.subarray(16 * SECTOR, 17 * SECTOR);
  if (descriptor.toString("latin1", 1, 6) !== "CD001") throw new Error("no ISO 9660");
  const files = new Map<string, Opened>();
  const walk = (record: Buffer, path: string): void => {
    const [sector, size] = [record.readUInt32LE(2), record.readUInt32LE(10)];
    const folder = bytes.subarray(sector * SECTOR, sector * SECTOR + size);
    for (let at = 0; at < folder.length; ) {
      const length = folder.readUInt8(at);
      if (length === 0) {
        at = (Math.floor(at / SECTOR) + 1) * SECTOR;
        continue;
      }
      const entry = folder.subarray(at, at + length);
      at += length;
      const idLength = entry.readUInt8(32);
      if (idLength === 1 && entry.readUInt8(33) < 2) continue;
      const { name, mode } = rockRidge(bytes, entry.subarray(33 + idLength + ((idLength + 1) % 2)));
      const whole = path === "" ? name : `${path}/${name}`;
      if ((entry.readUInt8(25) & 2) !== 0) walk(entry, whole);
      else {
        const start = entry.readUInt32LE(2) * SECTOR;
        files.set(whole, { data: bytes.subarray(start, start + entry.readUInt32LE(10)), mode });
      }
    }
  };
  walk(descriptor.subarray(156, 190), "");
  return { label: descriptor.toString("latin1", 40, 72).trim(), files };
}

function rockRidge(image: Buffer, area: Buffer): { name: string; mode: number } {
  let name = "";
  let mode = 0;
  for (let at = 0; at + 4 <= area.length; ) {
    const [kind, length] = [area.toString("latin1", at, at + 2), area.readUInt8(at + 2)];
    if (length < 4) break;
    if (kind === "NM") name += area.toString("utf8", at + 5, at + length);
    if (kind === "PX") mode = area.readUInt32LE(at + 4) & 0o7777;
    if (kind === "CE") {
      const start = area.readUInt32LE(at + 4) * SECTOR + area.readUInt32LE(at + 12);
      const more = rockRidge(image, image.subarray(start, start + area.readUInt32LE(at + 20)));
      name += more.name;
    }
    at += length;
  }
  return { name, mode };
}

/** The files of a gzipped cpio, in their order. */
export function openArchive(archive: Uint8Array): Map<string, Opened> {
  const data = gunzipSync(archive);
  const files = new Map<string, Opened>();
  const round = (at: number): number => Math.ceil(at / 4) * 4;
  for (let at = 0; at < data.length; ) {
    if (data.toString("latin1", at, at + 6) !== "070701") throw new Error(`no header at ${at}`);
    const number = (index: number): number =>
      Number.parseInt(data.toString("latin1", at + 6 + index * 8, at + 14 + index * 8), 16);
    const [mode, size, nameSize] = [number(1), number(6), number(11)];
    const name = data.toString("utf8", at + 110, at + 110 + nameSize - 1);
    if (name === "TRAILER!!!") return files;
    const start = round(at + 110 + nameSize);
    files.set(name, { data: data.subarray(start, start + size), mode: mode & 0o7777 });
    at = round(start + size);
  }
  throw new Error("the archive has no end");
}
