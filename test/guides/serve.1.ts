import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const command = fileURLToPath(new URL('../../dist/cli/plugboard.cjs', import.meta.url))
const child = spawn(process.execPath, [command, 'serve', '--demo', '--json', '--port', '0'])
let document = ''
while (!document.endsWith('}\n')) document += String((await once(child.stdout, 'data'))[0])
const { address, token } = JSON.parse(document) as { readonly address: string; readonly token: string }
//- snippet
child.kill('SIGINT')
