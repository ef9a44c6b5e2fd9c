import { Argument, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";

export function addCompletionCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("completion")
    .description(
      "Print a script that lets a shell complete commands, flags, kinds, and the names of objects on the server.",
    )
    .addArgument(new Argument("<SHELL>", "The shell").choices(Object.keys(completionScripts)))
    .action((shell: Shell) => context.terminal.out(completionScripts[shell]));
  addExamples(command, [
    { does: "Use it in this bash", run: "source <(bowline completion bash)" },
    { does: "Use it in every bash", run: "echo 'source <(bowline completion bash)' >> ~/.bashrc" },
    { does: "Use it in every zsh", run: 'bowline completion zsh > "${fpath[1]}/_bowline"' },
    {
      does: "Use it in every fish",
      run: "bowline completion fish > ~/.config/fish/completions/bowline.fish",
    },
  ]);
}

/**
 * The scripts that shells run when somebody presses Tab. All hand the line before the cursor to `bowline __complete`,
 * which answers a line per suggestion, `VALUE<tab>DESCRIPTION`, and `:files` where the shell should offer files.
 */

/** Bash breaks words at = and : too, and replaces only what follows the last of them. */
const bash = `# Completion of bowline for bash.
_bowline() {
  local line="\${COMP_LINE:0:COMP_POINT}" current="\${COMP_WORDS[COMP_CWORD]}" value description
  local token="\${line##*[[:space:]]}"
  [[ $current == [=:] ]] && current=""
  local before="\${token%"$current"}"
  COMPREPLY=()
  while IFS=$'\\t' read -r value description; do
    if [[ $value == :files ]]; then
      compopt -o default 2>/dev/null
      continue
    fi
    [[ $value == *[=/.] ]] && compopt -o nospace 2>/dev/null
    COMPREPLY+=("\${value#"$before"}")
  done < <(bowline __complete "$line" 2>/dev/null)
}
complete -F _bowline bowline
`;

const zsh = `#compdef bowline
# Completion of bowline for zsh.
_bowline() {
  local line="\${(j: :)words[1,CURRENT-1]} $PREFIX" value description
  local -a spaced joined
  while IFS=$'\\t' read -r value description; do
    if [[ $value == :files ]]; then
      _files
    elif [[ $value == *[=/.] ]]; then
      joined+=("\${value//:/\\\\:}:$description")
    else
      spaced+=("\${value//:/\\\\:}:$description")
    fi
  done < <(bowline __complete "$line" 2>/dev/null)
  (( $#spaced )) && _describe -t values value spaced
  (( $#joined )) && _describe -t values value joined -S ''
  return 0
}
if [[ $funcstack[1] == _bowline ]]; then
  _bowline "$@"
else
  compdef _bowline bowline
fi
`;

const fish = `# Completion of bowline for fish.
function __bowline_complete
    for suggestion in (bowline __complete (commandline -cp | string collect) 2>/dev/null)
        if test "$suggestion" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $suggestion
        end
    end
end
complete -c bowline -f -a '(__bowline_complete)'
`;

const completionScripts = { bash, zsh, fish } as const;

type Shell = keyof typeof completionScripts;
