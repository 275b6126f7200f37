import { dirname } from 'node:path'
import { FileError } from '../platform/platform.ts'
import type { FileStat, FileText, Files } from '../platform/platform.ts'

/** An in-memory file system: texts by path. A directory exists when it contains a file. */
export function memoryFiles(
  initial: Readonly<Record<string, string>>,
): Files & { readonly texts: Map<string, string>; readonly bytes: Map<string, Uint8Array> } {
  const texts = new Map(Object.entries(initial))
  const bytes = new Map<string, Uint8Array>()
  const paths = () => [...texts.keys(), ...bytes.keys()]
  const watchers = new Map<string, Set<() => void>>()
  const stat = (path: string): FileStat | undefined => {
    const text = texts.get(path)
    const base = { uid: 0, mtimeMs: 0 }
    if (text !== undefined) return { ...base, kind: 'file', mode: 0o600, size: text.length }
    const binary = bytes.get(path)
    if (binary) return { ...base, kind: 'file', mode: 0o600, size: binary.length }
    const isDirectory = paths().some((file) => file.startsWith(`${path}/`))
    return isDirectory ? { ...base, kind: 'directory', mode: 0o700, size: 0 } : undefined
  }
  return {
    texts,
    bytes,
    async readText(path): Promise<FileText> {
      const text = texts.get(path)
      const found = stat(path)
      if (text === undefined || !found) return { kind: 'absent' }
      return { kind: 'text', text, bom: false, stat: found }
    },
    async readBytes(path, { from = 0 }) {
      const text = bytes.get(path) ?? texts.get(path)
      if (text === undefined) throw new FileError('io', `${path} does not exist`)
      return (typeof text === 'string' ? new TextEncoder().encode(text) : text).subarray(from)
    },
    stat: async (path) => stat(path),
    async list(path) {
      const inside = paths().filter((file) => file.startsWith(`${path}/`))
      return [...new Set(inside.map((file) => file.slice(path.length + 1).split('/')[0] ?? ''))].sort()
    },
    realPath: async (path) => path,
    async replace(path, text, { over } = {}) {
      const expected = over?.kind === 'text' ? over.text : undefined
      if (over && expected !== texts.get(path)) throw new FileError('changed', `${path} was changed`)
      texts.set(path, text)
      for (const onChange of watchers.get(dirname(path)) ?? []) onChange()
    },
    async writeBytes(path, content) {
      if (stat(path)) throw new FileError('io', `${path} exists`)
      bytes.set(path, content)
      for (const onChange of watchers.get(dirname(path)) ?? []) onChange()
    },
    async append(path, text) {
      texts.set(path, (texts.get(path) ?? '') + text)
      for (const onChange of watchers.get(dirname(path)) ?? []) onChange()
    },
    async move(from, to) {
      const text = texts.get(from)
      if (text === undefined) throw new FileError('io', `${from} does not exist`)
      texts.delete(from)
      texts.set(to, text)
    },
    remove: async (path) => void texts.delete(path),
    makePrivateDirectory: async () => undefined,
    async moveFolder(from, to) {
      if (stat(to)) return false
      for (const map of [texts, bytes] as readonly Map<string, unknown>[]) {
        for (const [path, content] of map) {
          if (!path.startsWith(`${from}/`)) continue
          map.delete(path)
          map.set(to + path.slice(from.length), content)
        }
      }
      return true
    },
    async removeFolder(path) {
      for (const map of [texts, bytes]) {
        for (const file of map.keys()) if (file.startsWith(`${path}/`)) map.delete(file)
      }
    },
    watch(directory, onChange) {
      const group = watchers.get(directory) ?? new Set()
      watchers.set(directory, group.add(onChange))
      return { [Symbol.dispose]: () => void group.delete(onChange) }
    },
  }
}
