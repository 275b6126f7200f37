import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const src = fileURLToPath(new URL('../src', import.meta.url))

/** Rooms and files whose messages a command can print. The others speak to programs: options, adapters, reference pages. */
const isReachable = (file: string) =>
  !/^(?:adapters|testing|presets)\/|^host\/(?:check-options|code-servers|declared-names|host)\.ts$|^agent\/check-agent-options\.ts$|^[a-z]+\.ts$/.test(
    file,
  ) &&
  // The descriptions of settings are printed only on their reference page.
  file !== 'config/settings.ts'

const apiWord =
  /\bcreateHost\b(?!')|\bhost\.(?:ready|restart|call|add|remove|scope|request|connect|answers)\b|\bawait host\b/

test('messages of the command line name no API words', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && isReachable(file))
  expect(files.length).toBeGreaterThan(300)
  const found = files.flatMap((file) => {
    // Comments may name them.
    const code = readFileSync(join(src, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    return code
      .split('\n')
      .flatMap((line) => line.match(/'[^']*'|"[^"]*"|`[^`]*`/g) ?? [])
      .filter((text) => apiWord.test(text))
      .map((text) => `${file}: ${text}`)
  })
  expect(found).toEqual([])
})
