import { join } from 'node:path'
import { isObject } from '../model/json.ts'
import type { Files } from '../platform/platform.ts'

const endings = ['.js', '.json', '.node', '.mjs', '.cjs', '.ts', '.tsx', '.jsx', '.mts', '.cts']

type ScriptFiles = Pick<Files, 'stat' | 'readText'>

/**
 * T133: the files that a runtime takes for a path that is no file: with an ending, or of a folder the file that its
 * `package.json` names, its index or its `__main__.py`. Where runtimes differ, all that exist.
 */
export async function resolveScript(path: string, files: ScriptFiles): Promise<readonly string[]> {
  const found = await files.stat(path)
  if (found?.kind === 'file') return []
  if (found?.kind !== 'directory') return withEndings(path, files)
  const manifest = join(path, 'package.json')
  const named = await mainOf(manifest, files)
  const main = named === undefined ? [] : await mainFiles(join(path, named), files)
  return [
    ...(await existing([manifest, join(path, '__main__.py')], files)),
    ...(main.length > 0 ? main : await withEndings(join(path, 'index'), files)),
  ]
}

/** T133: the files of a module that Python finds from a folder on: its packages up to it, and the module itself. */
export function resolveModule(folder: string, name: string, files: ScriptFiles): Promise<readonly string[]> {
  if (!/^\w+(?:\.\w+)*$/.test(name)) return Promise.resolve([])
  const parts = name.split('.')
  const packages = parts.map((_, index) => join(folder, ...parts.slice(0, index + 1), '__init__.py'))
  const own = join(folder, ...parts)
  return existing([...packages, join(own, '__main__.py'), `${own}.py`], files)
}

async function mainFiles(path: string, files: ScriptFiles): Promise<readonly string[]> {
  const found = await files.stat(path)
  if (found?.kind === 'file') return [path]
  return withEndings(found?.kind === 'directory' ? join(path, 'index') : path, files)
}

async function mainOf(manifest: string, files: ScriptFiles): Promise<string | undefined> {
  const read = await files.readText(manifest)
  if (read.kind !== 'text') return undefined
  try {
    const value: unknown = JSON.parse(read.text)
    const main = isObject(value) ? value['main'] : undefined
    return typeof main === 'string' && main !== '' ? main : undefined
  } catch {
    return undefined
  }
}

function withEndings(path: string, files: ScriptFiles): Promise<readonly string[]> {
  return existing(
    endings.map((ending) => path + ending),
    files,
  )
}

async function existing(paths: readonly string[], files: ScriptFiles): Promise<readonly string[]> {
  const stats = await Promise.all(paths.map((path) => files.stat(path)))
  return paths.filter((_, index) => stats[index]?.kind === 'file')
}
