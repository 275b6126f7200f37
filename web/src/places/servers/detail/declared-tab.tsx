import type { ServerDetail, ServerRow } from '../../../../../src/client.ts'
import { CodeLines } from '../../../parts/code-lines.tsx'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { ErrorLine } from '../../../parts/messages.tsx'
import { ProblemLine } from '../../../parts/problem-line.tsx'
import { addresses } from '../../../state/addresses.ts'
import type { Answer } from '../../../state/answers.ts'

interface DeclaredTabProps {
  readonly server: ServerRow
  readonly detail: Answer<ServerDetail>
}

/** Where the server is declared, what the declaration says after expansion, and which others it hides. */
export function DeclaredTab({ server: { declared, source }, detail: { value, error } }: DeclaredTabProps) {
  return (
    <>
      <div>
        <p class="place-line">
          <a class="mono" href={addresses.configFile(declared.file, declared.line)}>
            {declared.shown}
          </a>
          <CopyButton
            text={declared.line === undefined ? declared.file : `${declared.file}:${declared.line}`}
            label="Copy path"
          />
        </p>
        <p class="dim">
          {source.client}, {source.scope}
        </p>
      </div>
      <ErrorLine error={error} />
      {value && <Declaration detail={value} />}
    </>
  )
}

function Declaration({
  detail: { problems, why, entry, resolved, shadowed },
}: {
  readonly detail: ServerDetail
}) {
  return (
    <>
      {problems.map((problem) => (
        <ProblemLine key={`${problem.code} ${problem.message}`} problem={problem} />
      ))}
      <p class="plain-text">{why}</p>
      {entry.length > 0 && (
        <div class="frame">
          <CodeLines
            label="Declaration"
            isWrapped
            lines={entry.map(({ line, text }) => ({ text, ...(line !== undefined && { number: line }) }))}
          />
        </div>
      )}
      {resolved.length > 0 && (
        <>
          <h2>Values, with secrets hidden</h2>
          <dl class="facts">
            {resolved.map(({ name, value }) => (
              <Value key={name} name={name} value={value} />
            ))}
          </dl>
        </>
      )}
      {shadowed.length > 0 && (
        <>
          <h2>Declared elsewhere too, not in force</h2>
          <ul class="line-list">
            {shadowed.map(({ declared, reason }) => (
              <li key={declared.shown}>
                <a class="mono" href={addresses.configFile(declared.file, declared.line)}>
                  {declared.shown}
                </a>
                <span class="line-more">{reason}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function Value({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt class="mono">{name}</dt>
      <dd class="mono">{value}</dd>
    </>
  )
}
