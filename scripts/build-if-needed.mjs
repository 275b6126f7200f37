import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './run.mjs'

/** Builds if there is no build, or if a file of the source is newer. */
export function buildIfNeeded() {
  const entry = join(root, 'dist/cli/plugboard.cjs')
  const page = join(root, 'dist/page/index.html')
  const sources = Math.max(newest(join(root, 'src')), newest(join(root, 'web')))
  if (!existsSync(entry) || !existsSync(page) || sources > statSync(entry).mtimeMs) run('scripts/build.mjs')
}

function newest(folder) {
  return Math.max(
    0,
    ...readdirSync(folder, { withFileTypes: true }).map((item) => {
      const path = join(folder, item.name)
      if (item.name === 'node_modules') return 0
      return item.isDirectory() ? newest(path) : statSync(path).mtimeMs
    }),
  )
}
