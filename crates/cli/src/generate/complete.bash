# Completes the arguments of @NAME@ in bash. Written by `@NAME@ --generate complete-bash`.
_@NAME@() {
    local IFS=$' \t\n' cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]} prefix= words i
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -- ]] && return
    done
    # Bash splits --flag=value into three words unless COMP_WORDBREAKS lacks the equals sign.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $flag == = ]]; then
        flag=${COMP_WORDS[COMP_CWORD-2]}
    elif [[ $cur == --*=* ]]; then
        flag=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=}
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
            [[ $cur == -* ]] || return
            words="@FLAGS@"
            ;;
    esac
    # Without this, readline completes paths where no word matches. Bash 3 has no compopt.
    compopt +o bashdefault +o default 2>/dev/null
    COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$cur"))
}

complete -F _@NAME@ -o bashdefault -o default @NAME@
