// Shows the same two servers through each of the three systems.
import { calls } from './systems/servers.mjs'
import { boocode } from './systems/boocode.mjs'
import { dispatch } from './systems/dispatch.mjs'
import { omp } from './systems/omp.mjs'

const [ofBoocode, ofDispatch, ofOmp] = await Promise.all([boocode(), dispatch(), omp()])
const seen = { BooCode: ofBoocode, Dispatch: ofDispatch, omp: ofOmp }

for (const [system, { names }] of Object.entries(seen))
  console.log(`${system.padEnd(9)} ${names.length} tools`)
for (const [at, { tool, args }] of calls.entries()) {
  console.log(`\n${tool} ${JSON.stringify(args)}`)
  for (const [system, { answers }] of Object.entries(seen)) {
    const { name = '(rejected: it declares that it writes)', answer } = answers[at]
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
    console.log(`  ${system.padEnd(9)} ${name}`)
    if (text !== undefined)
      console.log(`            ${text.replaceAll('\n', '\n            ').slice(0, 300)}`)
  }
}
