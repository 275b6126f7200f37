import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cliFile } from './programs/cli.ts'

export interface OlderBuild extends Disposable {
  readonly version: '0.0.9'
  /** The file that starts it. */
  readonly entry: string
}

/** This build with an older version in it. */
export function createOlderBuild(): OlderBuild {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-older-'))
  const entry = join(folder, 'plugboard.cjs')
  cpSync(dirname(cliFile), folder, { recursive: true })
  for (const path of [entry, ...filesIn(join(folder, 'chunks'))]) {
    if (path.endsWith('.cache')) rmSync(path)
    else if (path.endsWith('.cjs'))
      writeFileSync(path, readFileSync(path, 'latin1').replaceAll(/(["'`])0\.1\.0\1/g, '$10.0.9$1'), 'latin1')
  }
  return {
    version: '0.0.9',
    entry,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder).map((name) => join(folder, name))
}
