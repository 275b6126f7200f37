import { expect, test } from 'vitest'
import { startedPackage } from '../model/launch/started-package.ts'
import { pinArgument } from './pinned-argument.ts'

const digest = `sha256:${'a'.repeat(64)}`

const cases: readonly (readonly [string, string, string])[] = [
  ['npx -y @acme/tool', '1.4.2', '@acme/tool → @acme/tool@1.4.2'],
  ['npx acme-tool@latest .', '1.4.2', 'acme-tool@latest → acme-tool@1.4.2'],
  ['npx acme-tool@^1', '1.4.2', 'acme-tool@^1 → acme-tool@1.4.2'],
  ['npx --package=@acme/tool acme', '1.4.2', '--package=@acme/tool → --package=@acme/tool@1.4.2'],
  ['npx -p @acme/tool acme', '1.4.2', '@acme/tool → @acme/tool@1.4.2'],
  ['uvx acme-py', '2.0', 'acme-py → acme-py@2.0'],
  ['uvx acme-py[all]', '2.0', 'acme-py[all] → acme-py[all]@2.0'],
  ['uvx --from acme-py acme', '2.0', 'acme-py → acme-py==2.0'],
  ['pipx run acme-py', '2.0', 'acme-py → acme-py==2.0'],
  ['docker run -i --rm acme/server:latest', digest, `acme/server:latest → acme/server@${digest}`],
  [
    'podman run -i host.example:5000/acme/server',
    digest,
    `host.example:5000/acme/server → host.example:5000/acme/server@${digest}`,
  ],
  ['npx ./local', '1.0.0', 'nothing'],
  ['npx github:acme/tool', '1.0.0', 'nothing'],
  ['uvx git+https://example.com/acme/tool', '1.0.0', 'nothing'],
  ['docker run ${IMAGE}', digest, 'nothing'],
]
for (const [line, version, expected] of cases)
  test(`T03 pin: ${line}`, () => {
    const [command = '', ...args] = line.split(' ')
    const transport = { kind: 'stdio', command, args, env: {}, framing: 'auto', inheritEnv: false } as const
    const found = startedPackage({ transport })
    const pinned = found && pinArgument(args, found, version)
    expect(pinned ? `${pinned.from} → ${pinned.to}` : 'nothing').toBe(expected)
    if (!pinned) return
    const after = startedPackage({
      transport: { ...transport, args: args.map((arg) => (arg === pinned.from ? pinned.to : arg)) },
    })
    expect(after).toMatchObject({ name: found?.name, version })
  })
