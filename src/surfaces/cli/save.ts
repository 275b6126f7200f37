import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Block } from '../../index.ts'
import { usage } from './errors.ts'
import { blobOf } from './tool-result.ts'
import type { Saved } from './tool-result.ts'

/** Names of our own: what a server calls its files is no path of ours. */
const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'video/mp4': 'mp4',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'text/plain': 'txt',
  'text/html': 'html',
  'text/csv': 'csv',
  'text/markdown': 'md',
}

/** Puts images, sounds and other bytes into a folder, beside what is there, and says where each one went. */
export function saveBlobs(blocks: readonly Block[], folder: string, stem: string): Saved {
  const saved = new Map<number, string>()
  const plain = stem.replace(/[^\w-]+/g, '-').slice(0, 60)
  let number = 1
  for (const [at, block] of blocks.entries()) {
    const blob = blobOf(block)
    if (!blob) continue
    const extension = Object.hasOwn(extensions, blob.mimeType) ? extensions[blob.mimeType] : 'bin'
    for (; !saved.has(at); number++) {
      const file = join(folder, `${plain}-${number}.${extension}`)
      if (writeNew(file, blob.bytes)) saved.set(at, file)
    }
  }
  return saved
}

/** Whether it could be; a file that is there stays as it is. */
export function writeNew(file: string, bytes: Uint8Array): boolean {
  try {
    mkdirSync(resolve(file, '..'), { recursive: true })
    writeFileSync(file, bytes, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw usage(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  }
}

export function writeOver(file: string, bytes: Uint8Array): void {
  try {
    writeFileSync(file, bytes)
  } catch (error) {
    throw usage(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  }
}
