import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '../../src/model/json.ts'

const root = fileURLToPath(new URL('../fixtures/config-samples/', import.meta.url))

export interface Sample {
  readonly title: string
  readonly client: string
  readonly platform: 'linux' | 'darwin' | 'win32'
  readonly homeDir: string
  readonly projectDir: string
  readonly env: Record<string, string>
  /** Texts by absolute path. */
  readonly files: Record<string, string>
  /** The file to pass as `--config`, if the sample needs it. */
  readonly config: string | undefined
  readonly expected: ExpectedListing
}

export interface ExpectedListing {
  readonly servers: readonly (JsonObject & { name: string; source: { file: string; pointer: string } })[]
  readonly shadowed: readonly {
    name: string
    scope?: string
    file: string
    by: { scope: string; file: string } | string
  }[]
  readonly warnings: readonly {
    code: string
    severity: string
    file: string
    pointer?: string
    server?: string
  }[]
}

export function loadSamples(): readonly Sample[] {
  return readdirSync(root)
    .sort()
    .flatMap((client) => readdirSync(join(root, client)).map((name) => loadSample(client, name)))
}

function loadSample(client: string, name: string): Sample {
  const folder = join(root, client, name)
  const text = readFileSync(join(folder, 'expected.json'), 'utf8')
  const { platform, homeDir, projectDir, env } = JSON.parse(text)
  const place = (path: string) => placeOf(path, homeDir, projectDir)
  const paths = walk(folder)
    .map((file) => relative(folder, file))
    .filter((path) => path !== 'expected.json')
  const pointed = paths.filter((path) => /^(ui|bundle|plugin)\/(?!plugin\.json)/.test(path))
  return {
    title: `${client}/${name}`,
    client,
    platform,
    homeDir,
    projectDir,
    env,
    files: Object.fromEntries(paths.map((path) => [place(path), readFileSync(join(folder, path), 'utf8')])),
    config: pointed[0] === undefined ? undefined : place(pointed[0]),
    expected: JSON.parse(text, (key, value) =>
      isPathKey(key) && typeof value === 'string' ? place(value) : value,
    ),
  }
}

function isPathKey(key: string): boolean {
  return key === 'file' || key === 'by' || key === 'disabledBy' || key === 'forceEnabledBy' || key === '0'
}

/** Turns `home/…` and similar prefixes into the absolute paths of the sample. */
function placeOf(path: string, homeDir: string, projectDir: string): string {
  return path
    .replace(/^home\//, `${homeDir}/`)
    .replace(/^project\//, `${projectDir}/`)
    .replace(/^system\//, '/')
    .replace(/^(ui|bundle|plugin)\//, '/elsewhere/$1/')
}

function walk(folder: string): readonly string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? walk(path) : [path]))
}
