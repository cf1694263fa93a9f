/**
 * Reading a file in stretches: neighbouring pages are read together where a walk meets them one after the other, and
 * singly where the file is fragmented. How much is read at once follows from how much of it was used before.
 */
import { type AheadStretch, CopyFault, type CopyFile } from "./copy-file.js";

/** Also the size of what is read ahead. */
export const LARGEST = 256 << 10;
const KEPT = 4;

interface Stretch {
  start: number;
  /** Bytes that the file had for it. */
  filled: number;
  /** Bytes of it that were asked for. */
  used: number;
  data: Buffer;
  /** Set for what was read ahead. */
  ahead: AheadStretch | undefined;
}

export class Stretches {
  private readonly kept: Stretch[] = [];
  private size: number;
  private whole: Buffer = Buffer.alloc(0);

  constructor(
    private readonly file: CopyFile,
    private readonly pageSize: number,
  ) {
    this.size = Math.max(pageSize, 64 << 10);
  }

  /**
   * The bytes from `position` on; valid until the next call. A `CopyFault` when the file ends before. `alone` says that
   * nothing around them is wanted next.
   */
  read(position: number, length: number, alone = false): Buffer {
    for (const stretch of this.kept) {
      if (position < stretch.start || position + length > stretch.start + stretch.filled) continue;
      stretch.used += length;
      return stretch.data.subarray(position - stretch.start, position - stretch.start + length);
    }
    return alone || length > this.size / 2
      ? this.readAlone(position, length)
      : this.readAround(position, length);
  }

  private readAround(position: number, length: number): Buffer {
    const { size } = this;
    const start = position - (position % size);
    const inside = position - start;
    if (inside + length > size) return this.readAlone(position, length);
    const oldest = this.kept.length < KEPT ? undefined : this.kept.shift();
    if (oldest !== undefined) {
      this.adapt(oldest);
      oldest.ahead?.release();
    }
    const ahead = this.file.ahead?.size === size ? this.file.ahead.take(start / size) : undefined;
    const room = oldest?.ahead === undefined && oldest?.data.length === size ? oldest.data : undefined;
    const data = ahead?.data ?? room ?? Buffer.allocUnsafeSlow(size);
    const filled = ahead === undefined ? this.file.readInto(data, start) : data.length;
    this.kept.push({ start, filled, used: length, data, ahead });
    if (inside + length > filled) throw this.ended(start + filled);
    return data.subarray(inside, inside + length);
  }

  private readAlone(position: number, length: number): Buffer {
    if (this.whole.length < length) this.whole = Buffer.allocUnsafeSlow(length);
    const data = this.whole.subarray(0, length);
    const filled = this.file.readInto(data, position);
    if (filled < length) throw this.ended(position + filled);
    return data;
  }

  private adapt({ used, filled }: Stretch): void {
    if (used * 4 < filled) this.size = Math.max(this.pageSize, this.size / 2);
    else if (used * 2 > filled) this.size = Math.min(LARGEST, this.size * 2);
  }

  private ended(at: number): CopyFault {
    return new CopyFault(
      this.file,
      "ETC003",
      `the file ends at byte ${at}, inside a page`,
      "the copy is truncated; take it again",
    );
  }
}
