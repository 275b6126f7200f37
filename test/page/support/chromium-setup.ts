import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createBrotliDecompress } from 'node:zlib'
import type { TestProject } from 'vitest/node'

/** The browser of a run of tests. */
type Chromium =
  | { readonly kind: 'program'; readonly file: string; readonly home: string }
  | { readonly kind: 'none'; readonly reason: string }

declare module 'vitest' {
  interface ProvidedContext {
    readonly chromium: Chromium
  }
}

/** Runs once, before the first worker: workers that unpack the same file start it while another still writes it (ETXTBSY). */
export async function setup(project: TestProject): Promise<(() => void) | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    const reason = `the package of Chromium is for linux-x64, this is ${process.platform}-${process.arch}`
    project.provide('chromium', { kind: 'none', reason })
    return undefined
  }
  const home = mkdtempSync(join(tmpdir(), 'plugboard-browser-'))
  project.provide('chromium', { kind: 'program', file: await findChromium(), home })
  return () => rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}

async function findChromium(): Promise<string> {
  const debian = '/usr/bin/chromium'
  return existsSync(debian) ? debian : unpack()
}

/** Unpacks the program of the package beside the other packages, where it stays for the next run. */
async function unpack(): Promise<string> {
  const require = createRequire(import.meta.url)
  const packed = join(dirname(require.resolve('@sparticuz/chromium')), '../..')
  const { version } = require(join(packed, 'package.json')) as { readonly version: string }
  const folder = fileURLToPath(new URL(`../../../node_modules/.cache/chromium-${version}`, import.meta.url))
  const file = join(folder, 'chromium')
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  // It gets its name when it is whole: this run may be stopped, and another one may look for it.
  const part = `${file}.${process.pid}`
  await pipeline(
    createReadStream(join(packed, 'bin/chromium.br')),
    createBrotliDecompress(),
    createWriteStream(part, { mode: 0o700 }),
  )
  renameSync(part, file)
  return file
}
