/* bcryptprimitives.dll for Wine 8, which has none. Rust's standard library takes its random numbers
 * from it, so that every Rust program loads it, before anything else of the program runs. It
 * therefore also sets the variables that Wine does not hand on: the home directory, and the one of
 * programs' settings, for which the tests have .config. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length)
{
    return SystemFunction036(data, (ULONG)length);
}

BOOL WINAPI DllMain(HINSTANCE library, DWORD reason, LPVOID reserved)
{
    /* Wine's own variable: the value of HOME, as \??\Z:\home\me. */
    WCHAR home[4096];
    if (reason == DLL_PROCESS_ATTACH) {
        DWORD length = GetEnvironmentVariableW(L"WINEHOMEDIR", home, 4096);
        if (length > 4 && length < 4096) {
            SetEnvironmentVariableW(L"HOME", home + 4);
            SetEnvironmentVariableW(L"USERPROFILE", home + 4);
            if (length + 8 < 4096)
                SetEnvironmentVariableW(L"APPDATA", lstrcatW(home, L"\\.config") + 4);
        }
    }
    return TRUE;
}
