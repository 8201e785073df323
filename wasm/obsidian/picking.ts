// A bundle as a person hands it over: by a link, or as a file of the device or the vault.
import { HostError } from "../runtime/messages";
import { sizeText } from "../ui/words";
import { ARCHIVE_BYTES } from "./downloads";
import { locale, say } from "./words";

/** A file with its bytes read only when it is looked at. */
export class PickedFile {
  constructor(
    readonly name: string,
    private readonly size: number,
    private readonly load: () => Promise<ArrayBuffer>,
  ) {}

  /** The file that a person chooses, or null. */
  static ask(): Promise<PickedFile | null> {
    const input = createEl("input", { type: "file", attr: { accept: ".zip,application/zip" } });
    return new Promise((resolve) => {
      input.addEventListener("cancel", () => {
        resolve(null);
      });
      input.addEventListener("change", () => {
        const file = input.files?.[0];
        resolve(file ? new PickedFile(file.name, file.size, () => file.arrayBuffer()) : null);
      });
      input.click();
    });
  }

  /** Rejects with HostError: it is too large for a phone. */
  async bytes(): Promise<Uint8Array> {
    if (this.size > ARCHIVE_BYTES) throw tooLarge(this.name, this.size);
    return new Uint8Array(await this.load());
  }
}

export type Picked = PickedFile | { link: string };

function tooLarge(name: string, size: number): HostError {
  const [found, limit] = [sizeText(size, locale()), sizeText(ARCHIVE_BYTES, locale())];
  return new HostError("too-large", say("too-large", { name, size: found, limit }));
}
