import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../src/client.ts'
import { startProgram } from './support/programs/program.ts'

test('README: npm start serves the page with the demo, prints its address, and ends with everything it started', async () => {
  const script = fileURLToPath(new URL('../scripts/start.mjs', import.meta.url))
  const program = startProgram(process.execPath, [script, '--port', '0'], { stderr: 'inherit' })
  onTestFinished(() => void program.child.kill('SIGTERM'))
  const [, address = '', token = ''] = await program.printed(/(http:\/\/127\.0\.0\.1:\d+)\/#k=(\S+)\n/)
  const { servers } = await createClient({ address, token }).send('GET /api/servers')
  expect(servers.map(({ name }) => name).sort()).toEqual(['demo', 'ledger', 'notes', 'weather'])
  expect(await program.kill('SIGTERM')).toEqual({ code: 143, signal: null })
  await expect(fetch(address)).rejects.toThrow('fetch failed')
})
