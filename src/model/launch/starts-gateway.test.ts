import { describe, expect, test } from 'vitest'
import { startsGateway } from './starts-gateway.ts'

const starts = (command: string, ...args: readonly string[]) =>
  startsGateway({
    transport: { kind: 'stdio', command, args, env: {}, framing: 'auto', inheritEnv: false },
  })

describe('an entry that starts Plugboard itself', () => {
  test.each([
    ['plugboard', 'gateway'],
    ['/usr/local/bin/plugboard', 'gateway', '--view', 'cursor'],
    ['C:\\npm\\plugboard.cmd', 'gateway'],
    ['npx', 'plugboard', 'gateway'],
    ['npx', '-y', 'plugboard@0.1.0', 'gateway', '--stdio'],
    ['npx', '--yes', '--package=plugboard', 'plugboard', 'gateway'],
    ['pnpm', 'dlx', 'plugboard', 'gateway'],
    ['yarn', 'dlx', 'plugboard', 'gateway'],
    ['bunx', 'plugboard', 'gateway'],
    ['bun', 'x', 'plugboard', 'gateway'],
    ['npm', 'exec', '--', 'plugboard', 'gateway'],
    ['cmd', '/c', 'npx', '-y', 'plugboard', 'gateway'],
    ['env', 'A=1', 'plugboard', 'gateway'],
    ['/usr/bin/node', '/srv/tools/dist/cli/plugboard.cjs', 'gateway', '--view', 'x'],
    ['node', '--enable-source-maps', '/usr/lib/node_modules/plugboard/dist/cli/program.cjs', 'gateway'],
    ['node', 'C:\\npm\\node_modules\\plugboard\\dist\\cli\\plugboard.cjs', 'gateway'],
    ['docker', 'run', '-i', 'plugboard', 'gateway'],
    ['sh', '-c', 'exec plugboard gateway --search'],
    ['bash', '-lc', 'cd /tmp && npx -y plugboard@latest gateway'],
  ])('%s %s %s', (command, ...args) => {
    expect(starts(command, ...args)).toBe(true)
  })

  test.each([
    ['plugboard', 'serve'],
    ['npx', '-y', 'some-gateway', 'gateway'],
    ['npx', '-y', 'files-mcp', '/src/plugboard', 'gateway'],
    ['npx', '-y', '@acme/plugboard', 'gateway'],
    ['node', '/srv/gateway.js', 'gateway'],
    ['node', '/srv/files.js', '/src/plugboard.cjs', 'gateway'],
    ['sh', '-c', 'my-plugboard-tool gateway'],
  ])('not %s %s %s', (command, ...args) => {
    expect(starts(command, ...args)).toBe(false)
  })

  test('not a url', () => {
    expect(
      startsGateway({ transport: { kind: 'http', url: 'https://plugboard/gateway', headers: {} } }),
    ).toBe(false)
  })
})
