// Tests of HeddleHTTP.
