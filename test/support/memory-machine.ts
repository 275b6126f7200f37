import { nodePlatform } from '../../src/platform/node/node-platform.ts'
import type { Env, Platform } from '../../src/platform/platform.ts'
import { parseText } from '../../src/sources/formats/parse-text.ts'
import { memoryFiles } from '../../src/testing/memory-files.ts'

export const home = '/home/dana'
export const project = '/home/dana/shop'

export interface MemoryMachine {
  readonly platform: Platform
  readonly files: ReturnType<typeof memoryFiles>
  readonly texts: ReadonlyMap<string, string>
  readonly textOf: (path: string) => string | undefined
  /** The parsed content of a file of any format. */
  readonly read: (path: string) => Promise<unknown>
}

/** A machine with files in memory; `~/` is the home directory, other relative paths are in the project. */
export function memoryMachine(texts: Readonly<Record<string, unknown>>, env: Env = {}): MemoryMachine {
  const files = memoryFiles({
    [`${project}/.git/HEAD`]: '',
    ...Object.fromEntries(
      Object.entries(texts).map(([path, content]) => [
        absolute(path),
        typeof content === 'string' ? content : JSON.stringify(content),
      ]),
    ),
  })
  const world = { os: 'linux', home, cwd: project, env, systemRoot: '/' } as const
  const textOf = (path: string) => files.texts.get(absolute(path))
  return {
    platform: nodePlatform({ ...world, files, lock: (_path, work) => work() }),
    files,
    texts: files.texts,
    textOf,
    read: async (path) => {
      const text = textOf(path)
      return text === undefined ? undefined : (await parseText(text, formatOf(path))).value
    },
  }
}

function absolute(path: string): string {
  if (path.startsWith('~/')) return home + path.slice(1)
  return path.startsWith('/') ? path : `${project}/${path}`
}

function formatOf(path: string): 'json' | 'toml' | 'yaml' {
  if (path.endsWith('.toml')) return 'toml'
  return path.endsWith('.yaml') ? 'yaml' : 'json'
}
