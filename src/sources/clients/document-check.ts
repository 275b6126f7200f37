import type { DiagnosticCode, Severity } from '../../model/diagnostic.ts'
import { toPointer } from '../../model/json.ts'
import type { Path } from '../formats/doc.ts'
import type { OpenFile, Report } from '../source.ts'

/** Reports problems of a file that is one declaration as a whole: they have a place but no server name yet. */
export class DocumentCheck {
  readonly file: OpenFile
  readonly #report: Report
  /** Set by the first error: the checked part cannot be used. */
  failed = false

  constructor(file: OpenFile, report: Report) {
    this.file = file
    this.#report = report
  }

  fail(code: DiagnosticCode, message: string, path?: Path): void {
    this.failed = true
    this.report(code, 'error', message, path)
  }

  /** Reports all missing keys of an object as one problem. */
  failMissing(keys: readonly string[], path?: Path): void {
    if (keys.length === 0) return
    const names = keys.map((key) => `"${key}"`).join(', ')
    this.fail('missing-key', `${names} ${keys.length > 1 ? 'are' : 'is'} required.`, path)
  }

  report(code: DiagnosticCode, severity: Severity, message: string, path?: Path): void {
    this.#report.add(code, severity, message, {
      file: this.file,
      ...(path !== undefined && { pointer: toPointer(path) }),
    })
  }

  /** A separate check of the same file: an error in one of several choices does not affect the others. */
  fork(): DocumentCheck {
    return new DocumentCheck(this.file, this.#report)
  }
}
