import type { DiagnosticCode, Severity } from '../../model/diagnostic.ts'
import { toPointer } from '../../model/json.ts'
import type { Path } from '../formats/doc.ts'
import type { OpenFile, Report } from '../source.ts'

/** For files that are one declaration as a whole: what is wrong has a place but no server yet. */
export class DocumentCheck {
  readonly file: OpenFile
  readonly #report: Report
  /** Set by the first error: what is checked here cannot be used. */
  failed = false

  constructor(file: OpenFile, report: Report) {
    this.file = file
    this.#report = report
  }

  fail(code: DiagnosticCode, message: string, path?: Path): void {
    this.failed = true
    this.say(code, 'error', message, path)
  }

  /** Several keys that one object lacks are one problem. */
  failMissing(keys: readonly string[], path?: Path): void {
    if (keys.length === 0) return
    const names = keys.map((key) => `"${key}"`).join(', ')
    this.fail('missing-key', `${names} ${keys.length > 1 ? 'are' : 'is'} required.`, path)
  }

  say(code: DiagnosticCode, severity: Severity, message: string, path?: Path): void {
    this.#report.add(code, severity, message, {
      file: this.file,
      ...(path !== undefined && { pointer: toPointer(path) }),
    })
  }

  /** The same file, judged apart: an error in one of several choices spares the others. */
  apart(): DocumentCheck {
    return new DocumentCheck(this.file, this.#report)
  }
}
