import type { Problem } from '../../../../src/client.ts'
import { Empty } from '../../parts/messages.tsx'
import { ProblemLine } from '../../parts/problem-line.tsx'
import { ConfigFix } from './config-fix.tsx'

interface ConfigProblemsProps {
  readonly problems: readonly Problem[]
  readonly onChanged: () => void
}

/** All problems of all files, by file, the worst first. */
export function ConfigProblems({ problems, onChanged }: ConfigProblemsProps) {
  return (
    <>
      <h1>Problems</h1>
      {problems.length === 0 && (
        <Empty says="No problems in the files of the configuration." command="plugboard doctor" />
      )}
      {[...byFile(problems)].map(([file, each]) => (
        <section key={file} class="config-group">
          <h2 class="mono">{file}</h2>
          {each.map((problem, index) => (
            <ProblemLine key={index} problem={problem} hasPlace>
              {problem.place && (
                <ConfigFix file={problem.place.file} problem={problem} onWritten={onChanged} />
              )}
            </ProblemLine>
          ))}
        </section>
      ))}
    </>
  )
}

const ranks: readonly Problem['severity'][] = ['error', 'warn', 'info']

function byFile(problems: readonly Problem[]): ReadonlyMap<string, readonly Problem[]> {
  const groups = new Map<string, Problem[]>()
  for (const problem of problems.toSorted((a, b) => ranks.indexOf(a.severity) - ranks.indexOf(b.severity))) {
    const file = problem.place?.shown.replace(/:\d+(?::\d+)?$/, '') ?? 'Not in a file'
    groups.set(file, [...(groups.get(file) ?? []), problem])
  }
  return groups
}
