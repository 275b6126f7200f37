/**
 * A process that adds one server to a file, for tests that need several processes. Bundled and run by `processes.ts`.
 * `PLUGBOARD_TEST_STOP` names the step of a write at which it is killed, `PLUGBOARD_TEST_FAIL` one that fails with a
 * code.
 */
import fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { addServer } from '../../../../src/config/edit/edit-entry.ts'
import { createWorld } from '../../../../src/config/world.ts'
import { HostError } from '../../../../src/model/error.ts'
import { nodePlatform } from '../../../../src/platform/node/node-platform.ts'
import { place } from '../../../../src/sources/place-builders.ts'
import { plugboard } from '../../../../src/sources/clients/plugboard/plugboard.ts'

const [path = '', name = ''] = process.argv.slice(2)
const stopAt = process.env['PLUGBOARD_TEST_STOP']
const [failAt, code] = (process.env['PLUGBOARD_TEST_FAIL'] ?? '').split(':')

interruptWrites()
await waitForGo()
try {
  const platform = nodePlatform()
  const target = {
    platform,
    world: await createWorld(platform),
    source: plugboard,
    place: place(path, { scope: 'user', authority: 'user', root: '/' }),
  }
  await addServer(target, { name, transport: { kind: 'stdio', command: `run-${name}` } })
  answer({ added: name })
} catch (error) {
  answer(
    error instanceof HostError ? { code: error.code, message: error.message } : { unexpected: String(error) },
  )
}

function answer(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

/** Waits until the test closes the input, so that all processes start together. */
async function waitForGo(): Promise<void> {
  answer('ready')
  process.stdin.resume()
  await new Promise((resolve) => process.stdin.once('end', resolve))
}

/** Wraps the file system calls, so that each step of a write can be interrupted. */
function interruptWrites(): void {
  const { open, rename } = fs.promises
  fs.promises.open = async (file, flags, mode) => {
    if (flags === 'wx') await reach('open')
    const handle = await open(file, flags, mode)
    if (flags === 'wx') interruptHandle(handle)
    return handle
  }
  fs.promises.rename = async (from, to) => {
    await reach('rename')
    await rename(from, to)
    await reach('renamed')
  }
  syncBuiltinESMExports()
}

function interruptHandle(handle: FileHandle): void {
  const writeFile = handle.writeFile.bind(handle)
  const sync = handle.sync.bind(handle)
  handle.writeFile = async (data, options) => {
    const half = String(data).slice(0, String(data).length / 2)
    if (stopAt === 'write' || failAt === 'write') await writeFile(half)
    await reach('write')
    await writeFile(data, options)
  }
  handle.sync = async () => {
    await reach('sync')
    await sync()
    await reach('synced')
  }
}

async function reach(step: string): Promise<void> {
  if (failAt === step) throw Object.assign(new Error(`${code}: injected`), { code })
  if (stopAt !== step) return
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => undefined)
}
