/** By the numbers alone, which is what a person is told; the core decides what an update is. */
export function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}
