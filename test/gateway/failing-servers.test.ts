import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { startGateway } from '../support/gateway.ts'
import type { GatewayMachine, Reply } from '../support/gateway.ts'

const script = fileURLToPath(new URL('servers/small.sh', import.meta.url))
const names = Array.from({ length: 24 }, (_, index) => `s${String(index).padStart(2, '0')}`)
const expected = names.flatMap((name) => [`${name}__crash`, `${name}__pid`])
/** `PLUGBOARD_GATEWAY_MINUTES=10 npx vitest run test/gateway/failing-servers.test.ts` goes on for so long. */
const minutes = Number(process.env['PLUGBOARD_GATEWAY_MINUTES'] ?? 0)

const namesIn = ({ body }: Reply) =>
  (body.result?.['tools'] as readonly { readonly name: string }[] | undefined)?.map(({ name }) => name)

async function pidOf(gateway: GatewayMachine, name: string): Promise<number | undefined> {
  const { body } = await gateway.modern('tools/call', { name: `${name}__pid`, arguments: {} })
  const [first] = (body.result?.['content'] ?? []) as readonly { readonly text: string }[]
  return body.result?.['isError'] === true || first === undefined ? undefined : Number(first.text)
}

describe('the gateway over two dozen servers', () => {
  test(
    '8 of 24 fail in turn, half of them crashed and half of them silent: no list fails or shrinks, and the others answer',
    async () => {
      const servers = Object.fromEntries(names.map((name) => [name, { command: 'sh', args: [script] }]))
      await using gateway = await startGateway(servers)
      expect(namesIn(await gateway.modern('tools/list'))).toEqual(expected)
      const until = Date.now() + minutes * 60_000
      for (let round = 0; round < 3 || Date.now() < until; round++) {
        const failing = names.slice((round % 3) * 8, (round % 3) * 8 + 8)
        const [crashing, silent] = [failing.slice(0, 4), failing.slice(4)]
        const stopped = (await Promise.all(silent.map((name) => pidOf(gateway, name)))).flatMap(
          (pid) => pid ?? [],
        )
        try {
          for (const pid of stopped) process.kill(pid, 'SIGSTOP')
          const crashes = crashing.map((name) =>
            gateway.modern('tools/call', { name: `${name}__crash`, arguments: {} }),
          )
          const lists = Array.from({ length: 8 }, (_, index) =>
            index % 2 === 0 ? gateway.modern('tools/list') : gateway.legacy('tools/list'),
          )
          for (const reply of await Promise.all(lists)) {
            expect(reply.status).toBe(200)
            expect(namesIn(reply)).toEqual(expected)
          }
          for (const { body } of await Promise.all(crashes)) expect(body.result?.['isError']).toBe(true)
          expect(namesIn(await gateway.modern('tools/list'))).toEqual(expected)
          const others = names.filter((name) => !failing.includes(name))
          const pids = await Promise.all(others.map((name) => pidOf(gateway, name)))
          // A server that crashed in an earlier round may rest; one that never failed must answer.
          const untouched = others.filter(
            (_, index) => round < 3 && names.indexOf(others[index] ?? '') >= (round + 1) * 8,
          )
          for (const name of untouched) expect(pids[others.indexOf(name)]).toBeGreaterThan(0)
        } finally {
          for (const pid of stopped) process.kill(pid, 'SIGCONT')
        }
      }
    },
    120_000 + minutes * 60_000,
  )
})
