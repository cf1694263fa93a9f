/**
 * Images of ISO 9660 (ECMA-119) with the names and modes of Rock Ridge (IEEE P1282 on SUSP 1.12), as Linux, xorriso and
 * bsdtar read them. The same files and time give the same bytes.
 */
import { byCodeUnit, encode } from "../core/files.js";
import type { ArchivedFile } from "./cpio.js";

export interface Image {
  /** Label of the volume, at most 32 characters. */
  readonly volume: string;
  readonly files: readonly ArchivedFile[];
  /** Folders that exist even without a file. */
  readonly folders?: readonly string[];
  /** Of the volume and of every file in it. */
  readonly time: Date;
}

const SECTOR = 2048;
/** Sectors before the volume descriptors, which are free for other uses. */
const SYSTEM_AREA = 16;
const DESCRIPTORS = 2;
const FOLDER_MODE = 0o40755;
const FILE_TYPE = 0o100000;
const LONGEST_LABEL = 32;
/** Most bytes of a directory record; what does not fit goes to a continuation area. */
const LONGEST_RECORD = 254;

interface FileNode {
  readonly kind: "file";
  readonly name: string;
  readonly identifier: string;
  readonly mode: number;
  readonly data: Uint8Array;
  sector: number;
}

interface Folder {
  readonly kind: "folder";
  readonly name: string;
  readonly identifier: string;
  readonly parent: Folder | undefined;
  readonly children: (Folder | FileNode)[];
  sector: number;
  size: number;
}

/** Throws for a label that does not fit: the callers' labels are constants. */
export function isoImage({ volume, files, folders: empty = [], time }: Image): Uint8Array {
  if (volume.length > LONGEST_LABEL) throw new Error(`the label ${volume} is too long`);
  const root = treeOf(files, empty);
  const folders = foldersOf(root);
  const more = new Continuations();
  // Sizes do not depend on where things are, so a first pass with any place measures.
  for (const folder of folders) folder.size = folderData(folder, time, more).length;
  const tableSize = pathTable(folders, "little").length;
  let next = SYSTEM_AREA + DESCRIPTORS;
  const take = (bytes: number): number => {
    const first = next;
    next += Math.ceil(bytes / SECTOR);
    return first;
  };
  const tables = { size: tableSize, little: take(tableSize), big: take(tableSize) };
  for (const folder of folders) folder.sector = take(folder.size);
  more.place(take(more.length));
  const contents = folders.flatMap(({ children }) => children.filter((each) => each.kind === "file"));
  for (const file of contents) file.sector = take(Math.max(1, file.data.length));
  const image = Buffer.alloc(next * SECTOR);
  const put = (sector: number, data: Uint8Array): void => image.set(data, sector * SECTOR);
  put(SYSTEM_AREA, volumeDescriptor(volume, root, tables, next, time));
  put(SYSTEM_AREA + 1, Buffer.from([0xff, ...encode("CD001"), 1]));
  put(tables.little, pathTable(folders, "little"));
  put(tables.big, pathTable(folders, "big"));
  for (const folder of folders) put(folder.sector, folderData(folder, time, more));
  more.areas().forEach((area, index) => {
    put(more.sector + index, area);
  });
  for (const { sector, data } of contents) put(sector, data);
  return image;
}

function treeOf(files: readonly ArchivedFile[], folders: readonly string[]): Folder {
  const root = folderNode("", "", undefined);
  const folderAt = (names: readonly string[]): Folder => {
    let folder = root;
    for (const each of names) {
      const found = folder.children.find((child) => child.name === each);
      if (found?.kind === "file") throw new Error(`${names.join("/")} is below a file`);
      const inner = found ?? folderNode(each, identifierOf(each, folder, ""), folder);
      if (found === undefined) folder.children.push(inner);
      folder = inner;
    }
    return folder;
  };
  const namesOf = (path: string): string[] => path.split("/").filter((name) => name !== "");
  const nodes = [
    ...files.map((file) => ({ path: file.path, file })),
    ...folders.map((path) => ({ path, file: undefined })),
  ].sort((a, b) => byCodeUnit(a.path, b.path));
  for (const { path, file } of nodes) {
    const names = namesOf(path);
    if (file === undefined) {
      folderAt(names);
      continue;
    }
    const name = names.pop() ?? "";
    const folder = folderAt(names);
    const identifier = identifierOf(name, folder, ";1");
    const { data, mode } = file;
    folder.children.push({ kind: "file", name, identifier, mode: FILE_TYPE | mode, data, sector: 0 });
  }
  return root;
}

const folderNode = (name: string, identifier: string, parent: Folder | undefined): Folder => ({
  kind: "folder",
  name,
  identifier,
  parent,
  children: [],
  sector: 0,
  size: 0,
});

/** A name of at most eight and three letters, for readers without Rock Ridge; one that is taken gets a number. */
function identifierOf(name: string, { children }: Folder, version: string): string {
  const plain = (text: string, length: number): string =>
    text
      .toUpperCase()
      .replace(/[^A-Z0-9_]/g, "_")
      .slice(0, length);
  const dot = version === "" ? -1 : name.lastIndexOf(".");
  const [start, end] = dot <= 0 ? [name, ""] : [name.slice(0, dot), name.slice(dot + 1)];
  for (let count = 0; ; count++) {
    const suffix = count === 0 ? "" : String(count);
    const base = `${plain(start, 8 - suffix.length)}${suffix}`;
    const identifier = version === "" ? base : `${base}.${plain(end, 3)}${version}`;
    if (!children.some((each) => each.identifier === identifier)) return identifier;
  }
}

/** Every folder, those above before those below. */
function foldersOf(root: Folder): readonly Folder[] {
  const found = [root];
  for (const folder of found) {
    folder.children.sort((a, b) => byCodeUnit(a.identifier, b.identifier));
    found.push(...folder.children.filter((each) => each.kind === "folder"));
  }
  return found;
}

/** What does not fit into directory records, in areas that do not cross sectors. */
class Continuations {
  sector = 0;
  private readonly parts = new Map<string, { readonly offset: number; data: Uint8Array }>();
  private end = 0;

  /** Where the fields are; the same key keeps its place. */
  add(key: string, data: Uint8Array): { readonly sector: number; readonly offset: number } {
    const known = this.parts.get(key);
    if (known === undefined) {
      const left = SECTOR - (this.end % SECTOR);
      const offset = data.length > left ? this.end + left : this.end;
      this.parts.set(key, { offset, data });
      this.end = offset + data.length;
    }
    const offset = this.parts.get(key)?.offset ?? 0;
    return { sector: this.sector + Math.floor(offset / SECTOR), offset: offset % SECTOR };
  }

  get length(): number {
    return this.end;
  }

  place(sector: number): void {
    this.sector = sector;
  }

  areas(): readonly Uint8Array[] {
    const all = Buffer.alloc(Math.ceil(this.end / SECTOR) * SECTOR);
    for (const { offset, data } of this.parts.values()) all.set(data, offset);
    return Array.from({ length: all.length / SECTOR }, (_, index) =>
      all.subarray(index * SECTOR, (index + 1) * SECTOR),
    );
  }
}

/** The records of a folder: itself, the one above, its children. A record does not cross sectors. */
function folderData(folder: Folder, time: Date, more: Continuations): Uint8Array {
  const above = folder.parent ?? folder;
  const isRoot = folder.parent === undefined;
  const records = [
    record({
      identifier: Buffer.from([0]),
      node: folder,
      time,
      fields: [
        ...(isRoot ? [SUSP_START] : []),
        modeField(FOLDER_MODE, linksOf(folder)),
        ...(isRoot ? [continued(more, "extensions", [EXTENSIONS])] : []),
      ],
    }),
    record({
      identifier: Buffer.from([1]),
      node: above,
      time,
      fields: [modeField(FOLDER_MODE, linksOf(above))],
    }),
    ...folder.children.map((child) => childRecord(child, folder, time, more)),
  ];
  const sectors: Buffer[] = [Buffer.alloc(SECTOR)];
  let used = 0;
  for (const each of records) {
    if (used + each.length > SECTOR) {
      sectors.push(Buffer.alloc(SECTOR));
      used = 0;
    }
    sectors.at(-1)?.set(each, used);
    used += each.length;
  }
  return Buffer.concat(sectors);
}

function childRecord(child: Folder | FileNode, folder: Folder, time: Date, more: Continuations): Uint8Array {
  const mode = child.kind === "file" ? modeField(child.mode, 1) : modeField(FOLDER_MODE, linksOf(child));
  const identifier = Buffer.from(encode(child.identifier));
  const names = nameFields(child.name);
  const whole = record({ identifier, node: child, time, fields: [mode, ...names] });
  if (whole.length <= LONGEST_RECORD) return whole;
  const key = `${pathOf(folder)}/${child.name}`;
  return record({ identifier, node: child, time, fields: [mode, continued(more, key, names)] });
}

const pathOf = ({ name, parent }: Folder): string =>
  parent === undefined ? name : `${pathOf(parent)}/${name}`;

const linksOf = ({ children }: Folder): number => 2 + children.filter(({ kind }) => kind === "folder").length;

interface DirectoryRecord {
  readonly identifier: Buffer;
  readonly node: Folder | FileNode;
  readonly time: Date;
  readonly fields: readonly Uint8Array[];
}

function record({ identifier, node, time, fields }: DirectoryRecord): Buffer {
  const name = identifier.length % 2 === 0 ? Buffer.concat([identifier, Buffer.alloc(1)]) : identifier;
  const system = Buffer.concat(fields);
  const length = 33 + name.length + system.length;
  const data = Buffer.alloc(length + (length % 2));
  data.writeUInt8(Math.min(data.length, 255), 0);
  bothEndian32(data, 2, node.sector);
  bothEndian32(data, 10, node.kind === "file" ? node.data.length : node.size);
  data.set(
    [
      time.getUTCFullYear() - 1900,
      time.getUTCMonth() + 1,
      time.getUTCDate(),
      time.getUTCHours(),
      time.getUTCMinutes(),
      time.getUTCSeconds(),
      0,
    ],
    18,
  );
  data.writeUInt8(node.kind === "folder" ? 2 : 0, 25);
  bothEndian16(data, 28, 1);
  data.writeUInt8(identifier.length, 32);
  data.set(name, 33);
  data.set(system, 33 + name.length);
  return data;
}

const field = (signature: string, ...payload: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(payload);
  return Buffer.concat([encode(signature), Buffer.from([4 + body.length, 1]), body]);
};

/** Says that the extensions of SUSP are used. */
const SUSP_START = field("SP", Buffer.from([0xbe, 0xef, 0]));
const EXTENSION = ["RRIP_1991A", "THE ROCK RIDGE INTERCHANGE PROTOCOL", "IEEE P1282"].map(encode);
const EXTENSIONS = field("ER", Buffer.from([...EXTENSION.map(({ length }) => length), 1]), ...EXTENSION);

function modeField(mode: number, links: number): Buffer {
  const body = Buffer.alloc(32);
  for (const [index, value] of [mode, links, 0, 0].entries()) bothEndian32(body, index * 8, value);
  return field("PX", body);
}

/** Most bytes of a name in one field. */
const NAME_PART = 200;

function nameFields(name: string): readonly Buffer[] {
  const bytes = encode(name);
  const parts = Array.from({ length: Math.max(1, Math.ceil(bytes.length / NAME_PART)) }, (_, index) =>
    bytes.subarray(index * NAME_PART, (index + 1) * NAME_PART),
  );
  return parts.map((part, index) => field("NM", Buffer.from([index === parts.length - 1 ? 0 : 1]), part));
}

/** A field that leads to others elsewhere. */
function continued(more: Continuations, key: string, fields: readonly Uint8Array[]): Buffer {
  const data = Buffer.concat(fields);
  const { sector, offset } = more.add(key, data);
  const body = Buffer.alloc(24);
  for (const [index, value] of [sector, offset, data.length].entries()) bothEndian32(body, index * 8, value);
  return field("CE", body);
}

/** Every folder by number, in the order of the folders above them. */
function pathTable(folders: readonly Folder[], order: "little" | "big"): Uint8Array {
  return Buffer.concat(
    folders.map(({ identifier, sector, parent }) => {
      const name = parent === undefined ? Buffer.from([0]) : Buffer.from(encode(identifier));
      const data = Buffer.alloc(8 + name.length + (name.length % 2));
      const number = parent === undefined ? 1 : folders.indexOf(parent) + 1;
      data.writeUInt8(name.length, 0);
      if (order === "little") {
        data.writeUInt32LE(sector, 2);
        data.writeUInt16LE(number, 6);
      } else {
        data.writeUInt32BE(sector, 2);
        data.writeUInt16BE(number, 6);
      }
      data.set(name, 8);
      return data;
    }),
  );
}

function volumeDescriptor(
  volume: string,
  root: Folder,
  tables: { readonly size: number; readonly little: number; readonly big: number },
  sectors: number,
  time: Date,
): Uint8Array {
  const data = Buffer.alloc(SECTOR);
  const text = (at: number, length: number, value = ""): void =>
    void data.set(encode(value.padEnd(length)), at);
  data.set([1, ...encode("CD001"), 1]);
  text(8, 32);
  text(40, LONGEST_LABEL, volume);
  bothEndian32(data, 80, sectors);
  bothEndian16(data, 120, 1);
  bothEndian16(data, 124, 1);
  bothEndian16(data, 128, SECTOR);
  bothEndian32(data, 132, tables.size);
  data.writeUInt32LE(tables.little, 140);
  data.writeUInt32BE(tables.big, 148);
  data.set(record({ identifier: Buffer.from([0]), node: root, time, fields: [] }), 156);
  for (const [at, length] of [
    [190, 128],
    [318, 128],
    [446, 128],
    [574, 128],
    [702, 37],
    [739, 37],
    [776, 37],
  ] as const)
    text(at, length);
  const moment = time.toISOString().replace(/\D/g, "").slice(0, 16);
  for (const at of [813, 830]) data.set(encode(moment), at);
  // Never out of date, and usable from now on: no date.
  for (const at of [847, 864]) data.set(encode("0".repeat(16)), at);
  data.writeUInt8(1, 881);
  return data;
}

function bothEndian32(data: Buffer, at: number, value: number): void {
  data.writeUInt32LE(value, at);
  data.writeUInt32BE(value, at + 4);
}

function bothEndian16(data: Buffer, at: number, value: number): void {
  data.writeUInt16LE(value, at);
  data.writeUInt16BE(value, at + 2);
}
