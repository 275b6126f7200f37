import { nodePlatform } from '../../index.ts'
import type { Files } from '../../index.ts'

/** From here on reading takes longer than telling the engine how to go about it. */
const largeBytes = 60_000

/**
 * This machine's files. With much to read, optimized code is switched off: a command is over before it pays off, and the
 * compiler's threads would only take time from others.
 */
export function createFiles(): Files {
  const { files } = nodePlatform()
  let read = 0
  return {
    ...files,
    async readText(path, options) {
      const found = await files.readText(path, options)
      const before = read
      if (found.kind === 'text') read += found.text.length
      if (before <= largeBytes && read > largeBytes) {
        process.getBuiltinModule('node:v8').setFlagsFromString('--no-opt')
      }
      return found
    },
  }
}
