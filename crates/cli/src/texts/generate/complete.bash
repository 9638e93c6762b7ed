# Completes the arguments of @NAME@ in bash. Written by `@NAME@ --generate complete-bash`.
_@NAME@() {
    local IFS=$' \t\n' cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]} prefix= words i
    local dirs=
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -- ]] && return
        [[ ${COMP_WORDS[i]} =~ ^--index-(@ACTIONS@)$ ]] && dirs=1
    done
    # Bash splits --flag=value into three words unless COMP_WORDBREAKS lacks the equals sign.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $flag == = ]]; then
        flag=${COMP_WORDS[COMP_CWORD-2]}
    elif [[ $cur == --*=* ]]; then
        flag=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=}
    elif [[ $cur =~ ^(-[@SWITCHES@]*)([@LETTERS@])(.+)$ ]]; then
        # The value follows its letter.
        flag=-${BASH_REMATCH[2]} prefix=${BASH_REMATCH[1]}${BASH_REMATCH[2]} cur=${BASH_REMATCH[3]}
    elif [[ $flag =~ ^-[@SWITCHES@]+(.)$ ]]; then
        # The last of several letters may take a value.
        flag=-${BASH_REMATCH[1]}
    fi
    case $flag in
@VALUES@
        @PATHS@)
            # Readline completes paths.
            return
            ;;
        @COMMANDS@)
            COMPREPLY=($(compgen -c -- "$cur"))
            return
            ;;
        @OTHERS@)
            words=
            ;;
        *)
            if [[ $cur != -* ]]; then
                # An index is one of a directory.
                [[ $dirs ]] && compopt +o bashdefault +o default -o dirnames 2>/dev/null
                return
            fi
            words="@FLAGS@"
            ;;
    esac
    # Without this, readline completes paths where no word matches. Bash 3 has no compopt.
    compopt +o bashdefault +o default 2>/dev/null
    COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$cur"))
}

complete -F _@NAME@ -o bashdefault -o default @NAME@
