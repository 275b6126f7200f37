import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))
const definitions = readdirSync(join(here, 'commands'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.command.ts'),
)

test('commands: each x.command.ts is listed in app.ts, and loads the x.ts beside it only when it runs', () => {
  const app = readFileSync(join(here, 'app.ts'), 'utf8')
  expect(definitions.length).toBeGreaterThan(20)
  for (const file of definitions) {
    const work = file.replace('.command.ts', '.ts')
    const text = readFileSync(join(here, 'commands', file), 'utf8')
    const [name = ''] = work.split(/[\\/]/).slice(-1)
    expect(existsSync(join(here, 'commands', work)), work).toBe(true)
    expect(app).toContain(`./commands/${file.replaceAll('\\', '/')}'`)
    expect(text).toContain(`await import('./${name}')`)
    expect(text.replaceAll(/^import type .*$/gm, '')).not.toContain(`from './${name}'`)
  }
})
