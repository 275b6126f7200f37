/** What decides the findings of the scanner. */
export interface ScannerRules {
  readonly version: string | undefined
  /** The hash of each part, and its file. */
  readonly parts: ReadonlyMap<string, string>
}

export function readScannerRules(read: (path: string) => string): Promise<ScannerRules>
export function missingVersionRaise(before: ScannerRules, now: ScannerRules): string | undefined
