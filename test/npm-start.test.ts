import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../src/client.ts'

test('README: npm start serves the page with the demo, prints its address, and ends with everything it started', async () => {
  const script = fileURLToPath(new URL('../scripts/start.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGTERM'))
  const exited = once(child, 'exit')
  const [, address = '', token = ''] = await new Promise<RegExpExecArray>((resolve, reject) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const found = /(http:\/\/127\.0\.0\.1:\d+)\/#k=(\S+)\n/.exec((text += chunk))
      if (found) resolve(found)
    })
    void exited.then(() => reject(new Error(text)))
  })
  const { servers } = await createClient({ address, token }).send('GET /api/servers')
  expect(servers.map(({ name }) => name).sort()).toEqual(['demo', 'ledger', 'notes', 'weather'])
  child.kill('SIGTERM')
  expect(await exited).toEqual([143, null])
  await expect(fetch(address)).rejects.toThrow('fetch failed')
})
