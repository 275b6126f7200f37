import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))
const commands = readdirSync(join(here, 'commands'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.command.ts'))
  .map((file) => file.replaceAll('\\', '/').replace('.command.ts', ''))
const read = (file: string) => readFileSync(join(here, file), 'utf8')

test('commands: app.ts imports every x.command.ts', () => {
  const app = read('app.ts')
  expect(commands.length).toBeGreaterThan(20)
  expect(commands.filter((name) => !app.includes(`from './commands/${name}.command.ts'`))).toEqual([])
})

test('commands: x.command.ts loads the x.ts beside it only when the command runs', () => {
  const isLazy = (name: string) => {
    const code = read(`commands/${name}.command.ts`).replaceAll(/^import type .*$/gm, '')
    const work = `'./${basename(name)}.ts'`
    return code.includes(`await import(${work})`) && !code.includes(`from ${work}`)
  }
  expect(commands.filter((name) => !existsSync(join(here, 'commands', `${name}.ts`)))).toEqual([])
  expect(commands.filter((name) => !isLazy(name))).toEqual([])
})
